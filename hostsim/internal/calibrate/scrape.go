package calibrate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Page is what calibration reads of vLLM's /metrics, from 0.8 to 0.33. Samples of one name are added up, whatever their
// labels, since a server with several engines has a line for each.
type Page struct {
	values     map[string]float64
	histograms map[string]map[float64]float64 // name → upper bound → observations up to it
	Blocks     int                            // cache_config_info's num_gpu_blocks, 0: not reported
	BlockSize  int                            // tokens
}

// ReadPage reads a page in Prometheus' text format. Error: a page without vLLM's time to first token.
func ReadPage(r io.Reader) (*Page, error) {
	p := &Page{values: map[string]float64{}, histograms: map[string]map[float64]float64{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	for lines.Scan() {
		text := lines.Text()
		end := strings.LastIndexByte(text, ' ')
		if end < 0 || text[0] == '#' || !strings.HasPrefix(text, "vllm:") {
			continue
		}
		value, err := strconv.ParseFloat(text[end+1:], 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(text[:end], "{")
		name = strings.TrimPrefix(name, "vllm:")
		if base, ok := strings.CutSuffix(name, "_bucket"); ok {
			bound, err := strconv.ParseFloat(label(labels, "le"), 64)
			if err != nil {
				continue
			}
			if p.histograms[base] == nil {
				p.histograms[base] = map[float64]float64{}
			}
			p.histograms[base][bound] += value
			continue
		}
		if name == "cache_config_info" {
			p.Blocks, _ = strconv.Atoi(label(labels, "num_gpu_blocks"))
			p.BlockSize, _ = strconv.Atoi(label(labels, "block_size"))
		}
		p.values[name] += value
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if _, ok := p.values["time_to_first_token_seconds_count"]; !ok {
		return nil, errors.New("the page has no vllm:time_to_first_token_seconds: is it vLLM's /metrics?")
	}
	return p, nil
}

// OpenPage reads a file's page. Errors have its name.
func OpenPage(path string) (*Page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	page, err := ReadPage(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return page, nil
}

// label is the value of a label that has no escapes, or "".
func label(labels, name string) string {
	for pair := range strings.SplitSeq(strings.TrimSuffix(labels, "}"), ",") {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// dist is what a histogram counted between two pages.
type dist struct {
	bounds []float64 // upper bounds, ascending; the last is +Inf
	counts []float64 // observations up to each
	n, sum float64
}

// between is the difference of a histogram of the first of these names that the pages have.
func between(before, after *Page, names ...string) (d dist, ok bool) {
	for _, name := range names {
		if _, ok := after.values[name+"_count"]; !ok {
			continue
		}
		d.n = after.values[name+"_count"] - before.values[name+"_count"]
		d.sum = after.values[name+"_sum"] - before.values[name+"_sum"]
		for bound := range after.histograms[name] {
			d.bounds = append(d.bounds, bound)
		}
		slices.Sort(d.bounds)
		for _, bound := range d.bounds {
			d.counts = append(d.counts, after.histograms[name][bound]-before.histograms[name][bound])
		}
		return d, d.n > 0
	}
	return d, false
}

func (d dist) mean() float64 { return d.sum / d.n }

// quantile is the value below which a fraction q of the observations lies, linear within a bucket.
func (d dist) quantile(q float64) float64 {
	low, under := 0.0, 0.0
	for i, bound := range d.bounds {
		if d.counts[i] >= q*d.n && d.counts[i] > under {
			if math.IsInf(bound, 1) {
				return low * 1.5
			}
			return low + (bound-low)*(q*d.n-under)/(d.counts[i]-under)
		}
		if !math.IsInf(bound, 1) {
			low, under = bound, d.counts[i]
		}
	}
	return low
}

// draw gives n whole numbers, at least 1, with the histogram's shape and its mean.
func (d dist) draw(n int) []int {
	raw, sum := make([]float64, n), 0.0
	for i := range raw {
		raw[i] = max(1, d.quantile((float64(i)+.5)/float64(n)))
		sum += raw[i]
	}
	out := make([]int, n)
	for i, v := range raw {
		out[i] = max(1, int(math.Round(v*d.mean()*float64(n)/sum)))
	}
	return out
}

// decreased names a counter that is lower on the later page: the server restarted in between.
func decreased(before, after *Page) error {
	for _, name := range []string{"time_to_first_token_seconds_count", "prompt_tokens_total", "generation_tokens_total"} {
		if after.values[name] < before.values[name] {
			return fmt.Errorf("vllm:%s went from %v to %v: the server restarted between the pages", name, before.values[name], after.values[name])
		}
	}
	return nil
}
