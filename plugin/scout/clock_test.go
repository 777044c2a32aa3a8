package scout

import "testing"

// A clock that is set back by an hour (NTP, a machine that moves) stops nothing for that hour.
func TestClockSetBack(t *testing.T) {
	for _, back := range []int64{10 * second, 3600 * second} {
		w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": "/metrics"}}`, 2)
		w.now += 1e5 * second
		w.metrics["10.0.0.1:80"] = "vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n"
		w.hosts = host("10.0.0.1", "")
		w.step(3)
		w.now -= back
		w.asked = map[string]int{}
		w.hosts += "," + host("10.0.0.2", "")
		w.step(3)
		w.want("0=10.0.0.1*1, 1=10.0.0.2*1")
		if w.asked["admin"] < 2 || w.asked["10.0.0.1:80"] < 2 {
			t.Errorf("back by %d s: in the next 3 s the admin interface was asked %d times, an endpoint %d times", back/second, w.asked["admin"], w.asked["10.0.0.1:80"])
		}
		w.hosts = host("10.0.0.2", "")
		w.step(3)
		w.want("1=10.0.0.2*1")
	}
}
