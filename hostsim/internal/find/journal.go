package find

import "warmroute/hostsim/internal/loose"

// journalTime is a member that every record of systemd's journal has (systemd.io, "Journal Export Formats").
const journalTime = "__REALTIME_TIMESTAMP"

// Unshown says whether a record of systemd's journal has null in place of its message: journalctl writes that for more than 4 KB.
func Unshown(o loose.Object) bool {
	return o[journalTime] != nil && o["MESSAGE"] != nil && o["MESSAGE"].Is("null")
}

// journalText is the message of a record of systemd's journal that is written as a list of bytes, since it has some that do not print, such
// as a terminal's colours; "": it is no such list.
func journalText(o loose.Object) string {
	if o[journalTime] == nil {
		return ""
	}
	items := o["MESSAGE"].Items()
	text := make([]byte, len(items))
	for i, item := range items {
		n, ok := item.Whole()
		if !ok || n < 0 || n > 255 {
			return ""
		}
		text[i] = byte(n)
	}
	return string(text)
}
