"""Makes a tiny Llama that vLLM serves: random weights, a tokenizer and chat template of its own, two LoRA adapters.

usage: model.py FOLDER

The tokenizer is a byte-level BPE of 4,096 tokens, trained on the source text of Python's standard library, so that
nothing is downloaded. What the model says makes no sense; how long it computes, and what it caches, does.
"""

import json
import pathlib
import sys
import sysconfig

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

VOCABULARY = 4096
HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD = 256, 2, 4, 2, 64
CONTEXT = 16384
SPECIAL = ["<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|end|>"]
TEMPLATE = (
    "{% if tools %}<|system|>\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|end|>\n{% endif %}"
    "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def train_tokenizer() -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    texts = (path.read_text(errors="replace") for path in sorted(library.glob("*.py"))[:150])
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="</s>",
        clean_up_tokenization_spaces=False,
        model_max_length=CONTEXT,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def write_adapter(folder: pathlib.Path, seed: int) -> None:
    """Writes a LoRA adapter of rank 8 on the query and value projections."""
    rank = 8
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for layer in range(LAYERS):
        for name, out in (("q_proj", HEADS * HEAD), ("v_proj", KV_HEADS * HEAD)):
            at = f"base_model.model.model.layers.{layer}.self_attn.{name}."
            tensors[at + "lora_A.weight"] = torch.randn(rank, HIDDEN, generator=generator) * 0.05
            tensors[at + "lora_B.weight"] = torch.randn(out, rank, generator=generator) * 0.05
    folder.mkdir()
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": 2 * rank, "lora_dropout": 0.0,
        "bias": "none", "target_modules": ["q_proj", "v_proj"], "base_model_name_or_path": str(folder.parent),
    }))


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True)
    train_tokenizer().save_pretrained(out)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=4 * HIDDEN, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, head_dim=HEAD, max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, tie_word_embeddings=True, dtype="float32",
        architectures=["LlamaForCausalLM"],
    )
    torch.manual_seed(0)
    LlamaForCausalLM(config).save_pretrained(out)
    # Greedy unless asked otherwise: equal prompts give equal answers.
    (out / "generation_config.json").write_text(json.dumps({"bos_token_id": 1, "eos_token_id": 2, "do_sample": False}))
    for seed, name in enumerate(("lora-a", "lora-b"), start=1):
        write_adapter(out / name, seed)


main()
