"""Empties the CUDA code for other cards in shared libraries: packed, what is left is a fraction.

usage: one-arch.py ARCH LIBRARY…    (ARCH such as 90 for Hopper)

A library's section .nv_fatbin is a row of containers (magic number, version, header's size, size); each holds the same kernels
for several architectures, as machine code (kind 2) or PTX (kind 1). Sizes stay, contents become zeros: CUDA reads only the entry that
fits the card. Where a container has no machine code for ARCH, PTX that the driver can compile is kept up to 100 kB; more
is kernels of quantised weights.
"""

import struct
import sys

MAGIC, PTX, MACHINE, SMALL = 0xBA55ED50, 1, 2, 100_000


def sections(data: bytearray):
    """Name, offset and size of each section of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in rows:
        at = rows[names][4] + name
        yield bytes(data[at:data.index(0, at)]), offset, length


def containers(data: bytearray, at: int, end: int):
    """For each container its entries: kind, architecture, offset and size of the contents."""
    while at + 16 <= end:
        magic, _, head, size = struct.unpack_from("<IHHQ", data, at)
        if magic != MAGIC:  # between two
            at += 8
            continue
        entries, at, last = [], at + head, at + head + size
        while at < last:
            kind, _, head, size = struct.unpack_from("<HHIQ", data, at)
            arch, = struct.unpack_from("<I", data, at + 28)
            entries.append((kind, arch, at + head, size))
            at += head + size
        yield entries


def one_arch(data: bytearray, keep: int) -> None:
    for name, offset, length in sections(data):
        if name != b".nv_fatbin":
            continue
        for entries in containers(data, offset, offset + length):
            has = any((kind, arch) == (MACHINE, keep) for kind, arch, _, _ in entries)
            for kind, arch, at, size in entries:
                compiles = kind == PTX and arch <= keep and size <= SMALL and not has
                if (kind, arch) != (MACHINE, keep) and not compiles:
                    data[at:at + size] = bytes(size)


def main() -> None:
    for path in sys.argv[2:]:
        with open(path, "r+b") as file:
            data = bytearray(file.read())
            one_arch(data, int(sys.argv[1]))
            file.seek(0)
            file.write(data)


main()
