import json,glob,sys
for f in sorted(glob.glob('*.json')):
    try: d=json.load(open(f))
    except Exception: continue
    if 'runs' not in d: continue
    for r in d['runs']: print(f"{f:26} w{r['workers']} hit {r['token_hit_ratio']:.4f} inf {r['infinite_cache_hit_ratio']:.3f} ttft {r['ttft_ms']['mean']:.0f} p99 {r['ttft_ms']['p99']:.0f} imb {r['imbalance']:.2f} {r['reasons']}")
