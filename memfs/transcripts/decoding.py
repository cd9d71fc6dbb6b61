"""Bytes to text: UTF-8, UTF-16 with a byte-order mark, and GB18030 where it is beyond doubt.

Nothing else is guessed: wrong characters in a memory are worse than a file reported by name.
"""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO

from memfs.errors import TranscriptError

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SAMPLE = 200_000
# The characters that make up about half of any modern Chinese text. Other double-byte encodings (EUC-KR,
# EUC-JP, Big5) also decode as GB18030, but hit these no more often than chance: one time in twenty.
_COMMON = frozenset(
    "的一是不了在人有我他这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看"
    "起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间知世什两"
    "次使身者被高已亲其进此话常与活正感见明问力理点文几定本公特做外相西果走将月十实向声车全信重三机工物气每并别真打太新比才便再"
    "书部水像眼等体却加电主界门利海受听表少代员许口安写性马光白或住难教命花结色更请吗呢吧户助手帮谢您谁啊下午晚早今周号改需数据"
    "测试项目时候喜欢记住代码问题文件"
)


def is_binary(head: bytes) -> bool:
    """Whether this is no text at all (NUL bytes without a UTF-16 byte-order mark)."""
    return b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def decode_text(data: bytes, name: str) -> str:
    """The text of a whole file; TranscriptError names the file when its encoding is none that is read."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_utf16(data, name)
    if is_binary(data):
        raise TranscriptError("binary file (NUL bytes), not a transcript", path=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = decode_gb18030(data)
        if text is None:
            raise TranscriptError(
                f"not UTF-8 (byte {error.start})", path=name, hint="save it as UTF-8 and try again"
            ) from error
        return text


def _decode_utf16(data: bytes, name: str) -> str:
    """The text of UTF-16 with a byte-order mark; TranscriptError names a file that is none.

    Rows of JSON are kept all the same: their last one may still be being written, and each is judged by itself.
    """
    try:
        return data.decode("utf-16")
    except UnicodeDecodeError as error:
        text = data.decode("utf-16", "replace")
        if text.lstrip().startswith("{"):
            return text
        raise TranscriptError(
            f"not UTF-16, as its first bytes say (byte {error.start})",
            path=name,
            hint="save it as UTF-8 and try again",
        ) from error


def decode_line(line: bytes) -> str:
    """The text of one line of a JSONL file; bytes that fit no encoding become U+FFFD."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return decode_gb18030(line) or line.decode("utf-8", "replace")


def decode_gb18030(data: bytes) -> str | None:
    """The text, if it is Chinese in GB18030 beyond doubt, else None."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    wide = [character for character in text[:_SAMPLE] if ord(character) > 0x7F]
    hanzi = [character for character in wide if "\u4e00" <= character <= "\u9fff"]
    if not hanzi:
        return None
    kana = sum("\u3040" <= character <= "\u30ff" for character in wide)
    everyday = sum(_is_everyday(character) for character in wide)
    common = sum(character in _COMMON for character in hanzi)
    if kana * 10 > len(wide) or everyday * 10 < len(wide) * 8 or common * 5 < len(hanzi):
        return None
    return text


def _is_everyday(character: str) -> bool:
    """Whether it is in GB2312: its punctuation, or its 3,755 common characters."""
    try:
        lead = character.encode("gb2312")[0]
    except UnicodeEncodeError:
        return False
    return 0xA1 <= lead <= 0xA3 or 0xB0 <= lead <= 0xD7


class PlainStream(io.RawIOBase):
    """A zstd-compressed file read as if it were plain; seeking back starts over."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        super().__init__()
        self._stream = stream
        self._name = name
        self._restart()

    def _restart(self) -> None:
        import zstandard

        self._stream.seek(0)
        self._reader = zstandard.ZstdDecompressor().stream_reader(
            self._stream, read_across_frames=True, closefd=False
        )
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        import zstandard

        try:
            data = self._reader.read(size)
        except zstandard.ZstdError as error:
            raise TranscriptError(f"cannot be decompressed: {error}", path=self._name) from error
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            while self.read(1 << 20):
                pass
            offset += self._position
        elif whence == io.SEEK_CUR:
            offset += self._position
        if offset < self._position:
            self._restart()
        while self._position < offset and self.read(min(1 << 20, offset - self._position)):
            pass
        return self._position


def plain_stream(stream: BinaryIO, name: str) -> BinaryIO:
    """The stream as plain UTF-8: decompressed, UTF-16 converted. Offsets of turns count these bytes."""
    stream.seek(0)
    head = stream.read(4)
    stream.seek(0)
    if head == ZSTD_MAGIC:
        plain = PlainStream(stream, name)
        if not plain.read(1):
            raise TranscriptError("cannot be decompressed: nothing whole in it", path=name)
        return plain  # type: ignore[return-value]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return io.BytesIO(_decode_utf16(stream.read(), name).encode())
    return stream
