"""Makes a Llama that vLLM serves without anything being downloaded, with a tokenizer and chat template of its own.

usage: model.py FOLDER [tiny|3b]

tiny  3 million random weights and two LoRA adapters, for a CPU
3b    the shape of Llama-3.2-3B and no weights, for vLLM's --load-format dummy

The tokenizer is a byte-level BPE trained on the source text of Python's standard library. What the model says makes
no sense; how long it computes, and what it caches, does.
"""

import json
import pathlib
import sys
import sysconfig

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, PreTrainedTokenizerFast

# The published shape of Llama-3.2-3B but for the vocabulary, which is the tokenizer's (there: 128,256, 0.3 G weights
# more), so that every token it can say has a text.
SHAPES = {
    "tiny": dict(vocab_size=4096, hidden_size=256, intermediate_size=1024, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, head_dim=64, max_position_embeddings=16384, dtype="float32"),
    "3b": dict(vocab_size=32768, hidden_size=3072, intermediate_size=8192, num_hidden_layers=28, num_attention_heads=24,
               num_key_value_heads=8, head_dim=128, max_position_embeddings=131072, dtype="bfloat16"),
}
SPECIAL = ["<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|end|>"]
TEMPLATE = (  # the tools behind the system prompt, as most have them
    "{% set first = 1 if messages and messages[0]['role'] == 'system' else 0 %}"
    "{% for m in messages[:first] %}<|system|>\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if tools %}<|system|>\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|end|>\n{% endif %}"
    "{% for m in messages[first:] %}<|{{ m['role'] }}|>\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def train_tokenizer(shape: dict) -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    if shape["vocab_size"] <= 4096:  # the top of the library is text enough
        paths = sorted(library.glob("*.py"))[:150]
    else:
        paths = sorted(p for p in library.glob("**/*.py") if "site-packages" not in p.parts)
    texts = (p.read_text(errors="replace") for p in paths)
    trainer = trainers.BpeTrainer(
        vocab_size=shape["vocab_size"],
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
        model_max_length=shape["max_position_embeddings"],
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def write_weights(out: pathlib.Path, config: LlamaConfig) -> None:
    import torch
    from transformers import LlamaForCausalLM

    torch.manual_seed(0)
    LlamaForCausalLM(config).save_pretrained(out)


def write_adapter(folder: pathlib.Path, config: LlamaConfig, seed: int) -> None:
    """Writes a LoRA adapter of rank 8 on the query and value projections."""
    import torch
    from safetensors.torch import save_file

    rank = 8
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for layer in range(config.num_hidden_layers):
        for name, heads in (("q_proj", config.num_attention_heads), ("v_proj", config.num_key_value_heads)):
            at = f"base_model.model.model.layers.{layer}.self_attn.{name}."
            tensors[at + "lora_A.weight"] = torch.randn(rank, config.hidden_size, generator=generator) * 0.05
            tensors[at + "lora_B.weight"] = torch.randn(heads * config.head_dim, rank, generator=generator) * 0.05
    folder.mkdir()
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": 2 * rank, "lora_dropout": 0.0,
        "bias": "none", "target_modules": ["q_proj", "v_proj"], "base_model_name_or_path": str(folder.parent),
    }))


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "tiny"
    shape = SHAPES[name]
    out.mkdir(parents=True)
    tokenizer = train_tokenizer(shape)
    assert len(tokenizer) == shape["vocab_size"], f"the text gave {len(tokenizer)} tokens"
    tokenizer.save_pretrained(out)
    config = LlamaConfig(rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, tie_word_embeddings=True,
                         architectures=["LlamaForCausalLM"], **shape)
    config.save_pretrained(out)
    # Greedy unless asked otherwise: equal prompts give equal answers.
    (out / "generation_config.json").write_text(json.dumps({"bos_token_id": 1, "eos_token_id": 2, "do_sample": False}))
    if name == "tiny":
        write_weights(out, config)
        for seed, adapter in enumerate(("lora-a", "lora-b"), start=1):
            write_adapter(out / adapter, config, seed)


main()
