package standby

import (
	"testing"

	"warmroute/plugin/share/memstore"
)

const second = int64(1e9)

// A context stands by once a newer configuration has served and it has had no request for ten seconds; its next request wakes it, and
// makes its configuration the newest again.
func TestFormerConfigurationStandsBy(t *testing.T) {
	data := memstore.New()
	former := New(data, "filter", []byte(`{"policy":"random"}`), 0)
	former.Began(data, second)
	newer := New(data, "filter", []byte(`{}`), 2*second)
	for _, c := range []struct {
		name string
		do   func()
		at   int64
		want bool
	}{
		{"a request is open, and has been for nine seconds", func() { newer.Began(data, 3*second) }, 10 * second, false},
		{"for ten", func() {}, 11 * second, true},
		{"none has been for nine seconds", func() { former.Ended(60 * second) }, 69 * second, false},
		{"for ten", func() {}, 70 * second, true},
		{"the clock is set back", func() {}, second, false},
		{"for ten since", func() {}, 11 * second, true},
	} {
		c.do()
		if got := former.Due(data, c.at); got != c.want {
			t.Errorf("%s: due %v, want %v", c.name, got, c.want)
		}
	}
	if newer.Ended(12 * second); !newer.Idle() || newer.Due(data, 60*second) {
		t.Errorf("the newest has no request, idle %v, and is to stand by", newer.Idle())
	}
	former.Rest()
	if !former.Began(data, 80*second) || former.Began(data, 80*second) {
		t.Error("its first request does not wake it, or the second does again")
	}
	if former.Due(data, 200*second) {
		t.Error("it has become the newest, and stands by")
	}
	if !newer.Due(data, 200*second) {
		t.Error("the other has become the former one, and does not stand by")
	}
}

// A context that dozes counts its requests until they have ended, and the next one wakes it.
func TestDozes(t *testing.T) {
	data := memstore.New()
	former, newer := New(data, "filter", []byte("a"), 0), New(data, "filter", []byte("b"), 0)
	former.Began(data, second)
	former.Began(data, second)
	newer = New(data, "filter", []byte("b"), 2*second)
	newer.Began(data, 2*second)
	if !former.Due(data, 20*second) || former.Idle() || former.Rests() {
		t.Fatal("it is not to stand by, or does already")
	}
	former.Rest()
	if former.Ended(30 * second); !former.Rests() || former.Idle() {
		t.Error("one of its two requests has ended, and it does not doze")
	}
	if !former.Began(data, 31*second) || former.Rests() {
		t.Error("a request does not wake it")
	}
	former.Ended(32 * second)
	former.Rest()
	if former.Ended(33 * second); !former.Rests() || !former.Idle() {
		t.Error("all its requests have ended, and it does not rest")
	}
}

// A request on a connection from before the change does not make a former configuration the newest.
func TestOldConnectionChangesNothing(t *testing.T) {
	data := memstore.New()
	former := New(data, "filter", []byte("a"), 0)
	newer := New(data, "filter", []byte("b"), second)
	newer.Began(data, second)
	if newer.Ended(second); former.Began(data, 2*second) || newer.Due(data, 60*second) {
		t.Error("it does")
	}
}

// Workers' contexts of one configuration have one number, and filters of other names have their own.
func TestWorkersShareANumber(t *testing.T) {
	data := memstore.New()
	one, other := New(data, "filter", []byte("a"), 0), New(data, "filter", []byte("a"), second)
	apart := New(data, "another", []byte("b"), second)
	apart.Began(data, second)
	if apart.Ended(second); one.serial != other.serial || one.Due(data, 60*second) || other.Due(data, 60*second) {
		t.Errorf("numbers %d and %d; or one stands by for another filter", one.serial, other.serial)
	}
}
