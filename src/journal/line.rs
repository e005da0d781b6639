//! One line of a segment: bytes ⇄ records.
//!
//! ```text
//! 8f1c02d4 {"seq":17,"chain":"…","entry":{…}}⏎
//! └──┬───┘ └───────────────┬────────────────┘└ LF: a line without it is unfinished
//!    │                     └ the record, one JSON object
//!    └ CRC-32 (IEEE) of the record, eight lower-case hexadecimal digits
//! ```
//!
//! | record | where | content |
//! |---|---|---|
//! | `{"v":2,"schema":…}` | first line | the header: format, board, session, previous link |
//! | `{"seq":N,"chain":"…","entry":{…}}` | any other line | an entry, unchanged |
//! | `{"lost":{"from":N,"to":M,"file":"…"},"chain":"…"}` | any other line | retired numbers |

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{
    Entry, RetiredNumbers,
    chain::{self, ChainLink},
    identity::RecordId,
};
use remisd_vocabulary::seq::EntrySeq;

/// The longest line that is written or accepted, in bytes, LF included.
pub const MAX_LINE: usize = 1 << 20;

/// The highest number in a segment's name and in a `lost` line. Entries may have numbers up to
/// twice as high, so that the newest segment can grow.
pub const HIGHEST: EntrySeq = EntrySeq::new(1 << 52);

/// The highest number that is believed where no checksum proves it. The record can continue after
/// it.
pub const HIGHEST_BELIEVED: EntrySeq = EntrySeq::new(HIGHEST.get() / 2);

/// The format version that this program reads and writes.
pub const VERSION: u64 = 2;

/// The name of the format, written beside its version.
pub const SCHEMA: &str = "remisd/journal/2";

const CRC_DIGITS: usize = 8;
/// Maximum number of links read in a damaged line; two lines fused into one contain two.
const LINKS: usize = 8;
const SEQ_MARK: &[u8] = b"{\"seq\":";
const LOST_MARK: &[u8] = b"{\"lost\":";
const CHAIN_MARK: &[u8] = b",\"chain\":\"";
const ENTRY_MARK: &[u8] = b"\",\"entry\":";
const LOST_FROM_MARK: &[u8] = b"{\"lost\":{\"from\":";
const TO_MARK: &[u8] = b",\"to\":";

/// The first line of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Format version; only [`VERSION`] is understood.
    pub v: u64,
    /// [`SCHEMA`].
    pub schema: String,
    /// The board whose segment this is.
    pub board: String,
    /// The id of the board's record; absent in segments of earlier versions, and after a repair
    /// that could not prove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
    /// The number of the first entry, as in the file's name.
    pub first_seq: EntrySeq,
    /// The kernel's id of the boot in which the segment was begun.
    pub boot_id: String,
    /// The daemon's session in which the segment was begun.
    pub session: String,
    /// When the segment was begun: RFC 3339, UTC.
    pub created: String,
    /// The last link of the previous segment; [`ChainLink::NONE`] in a board's first.
    pub chain: ChainLink,
    /// The file that was set aside because its header was invalid. This segment holds its entries,
    /// under new links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repaired: Option<String>,
}

/// The record of a line after the header, and the link that seals it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The record.
    pub record: Record,
    /// The link.
    pub link: ChainLink,
}

/// The content of a line after the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// An entry.
    Entry(Entry),
    /// Numbers retired by a repair, or skipped because the disk was absent.
    Lost(RetiredNumbers),
}

impl Record {
    /// The first and last number that the record covers.
    pub const fn numbers(&self) -> (EntrySeq, EntrySeq) {
        match self {
            Self::Entry(entry) => (entry.seq, entry.seq),
            Self::Lost(lost) => (lost.from, lost.to),
        }
    }

    /// Whether the record's numbers begin with `next`.
    pub fn continues(&self, next: EntrySeq) -> bool {
        let (from, to) = self.numbers();
        from == next && to >= from
    }

    /// The link that seals the record after `before`.
    pub fn link(&self, before: ChainLink) -> ChainLink {
        match self {
            Self::Entry(entry) => before.then(&entry.body),
            // Numbers and a name always serialise to JSON.
            Self::Lost(lost) => before.then(&serde_json::to_vec(lost).unwrap_or_default()),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct LostLine {
    lost: RetiredNumbers,
    chain: ChainLink,
}

/// Appends the line of `json` to `out`.
pub fn encode(json: &[u8], out: &mut Vec<u8>) {
    let crc = crc32fast::hash(json);
    out.extend_from_slice(format!("{crc:08x} ").as_bytes());
    out.extend_from_slice(json);
    out.push(b'\n');
}

/// Appends the line of an entry to `out` and returns the link that seals it after `before`.
pub fn encode_entry(seq: EntrySeq, body: &[u8], before: ChainLink, out: &mut Vec<u8>) -> ChainLink {
    let link = before.then(body);
    let mut json = Vec::with_capacity(body.len() + 120);
    json.extend_from_slice(SEQ_MARK);
    json.extend_from_slice(seq.to_string().as_bytes());
    json.extend_from_slice(CHAIN_MARK);
    json.extend_from_slice(link.to_string().as_bytes());
    json.extend_from_slice(ENTRY_MARK);
    json.extend_from_slice(body);
    json.push(b'}');
    encode(&json, out);
    link
}

/// The length of an entry's line in bytes.
pub fn entry_length(seq: EntrySeq, body: &[u8]) -> usize {
    let digits = seq.get().checked_ilog10().map_or(1, |log| log as usize + 1);
    let link = CHAIN_MARK.len() + chain::DIGITS + ENTRY_MARK.len();
    CRC_DIGITS + 1 + SEQ_MARK.len() + digits + link + body.len() + "}\n".len()
}

/// Appends the line that retires numbers to `out` and returns the link that seals it after
/// `before`.
pub fn encode_lost(
    lost: &RetiredNumbers,
    before: ChainLink,
    out: &mut Vec<u8>,
) -> serde_json::Result<ChainLink> {
    let link = Record::Lost(lost.clone()).link(before);
    let json = serde_json::to_vec(&LostLine {
        lost: lost.clone(),
        chain: link,
    })?;
    encode(&json, out);
    Ok(link)
}

/// The JSON of a line (without its LF) if its checksum is correct.
pub fn verified(line: &[u8]) -> Option<&[u8]> {
    let json = unverified(line)?;
    (stated_crc(line)? == crc32fast::hash(json)).then_some(json)
}

/// The checksum that a line states.
fn stated_crc(line: &[u8]) -> Option<u32> {
    let (crc, separator) = line.split_at_checked(CRC_DIGITS)?;
    if !separator.starts_with(b" ") {
        return None;
    }
    crc.iter().try_fold(0, |crc, digit| match digit {
        b'0'..=b'9' => Some(crc << 4 | u32::from(digit - b'0')),
        b'a'..=b'f' => Some(crc << 4 | u32::from(digit - b'a' + 10)),
        _ => None,
    })
}

/// Whether bytes without an LF begin with a whole line. Other bytes follow in the place of its LF,
/// which no unfinished write leaves.
pub fn has_lost_its_lf(bytes: &[u8]) -> bool {
    let Some((crc, json)) = stated_crc(bytes).zip(bytes.get(CRC_DIGITS + 1..)) else {
        return false;
    };
    let mut hasher = crc32fast::Hasher::new();
    let mut begin = 0;
    memchr::memchr_iter(b'}', json).any(|end| {
        hasher.update(&json[begin..=end]);
        begin = end + 1;
        begin < json.len() && hasher.clone().finalize() == crc
    })
}

/// The bytes in the place of a line's JSON, whatever its checksum.
pub fn unverified(line: &[u8]) -> Option<&[u8]> {
    (line.len() < MAX_LINE).then(|| line.get(CRC_DIGITS + 1..))?
}

/// Whether a line begins like one that retires numbers.
pub fn is_lost(line: &[u8]) -> bool {
    line.get(CRC_DIGITS + 1..)
        .is_some_and(|json| json.starts_with(LOST_MARK))
}

/// The record of a line (without its LF), or `None` if the line is invalid.
pub fn record(line: &[u8]) -> Option<Sealed> {
    let json = verified(line)?;
    let (sealed, highest) = match entry(json) {
        Some(entry) => (entry, EntrySeq::new(2 * HIGHEST.get())),
        None => (lost(json)?, HIGHEST),
    };
    // Nothing that the daemon writes is beyond that. It would leave no numbers to continue with.
    (sealed.record.numbers().1 <= highest).then_some(sealed)
}

fn lost(json: &[u8]) -> Option<Sealed> {
    let LostLine { lost, chain } = serde_json::from_slice(json).ok()?;
    Some(Sealed {
        record: Record::Lost(lost),
        link: chain,
    })
}

/// Extracts the entry by its exact frame, so that the body keeps its original bytes.
fn entry(json: &[u8]) -> Option<Sealed> {
    let rest = json.strip_prefix(SEQ_MARK)?;
    let (seq, rest) = split_digits(rest);
    let seq = str::from_utf8(seq).ok()?.parse().ok()?;
    let rest = rest.strip_prefix(CHAIN_MARK)?;
    let (link, rest) = rest.split_at_checked(chain::DIGITS)?;
    let link = str::from_utf8(link).ok()?.parse().ok()?;
    let body = rest.strip_prefix(ENTRY_MARK)?.strip_suffix(b"}")?;
    let body = Bytes::copy_from_slice(body);
    Some(Sealed {
        record: Record::Entry(Entry { seq, body }),
        link,
    })
}

/// The links that can be read in a line with a wrong checksum, at most [`LINKS`].
pub fn readable_links(line: &[u8]) -> Vec<ChainLink> {
    let marks = line.windows(CHAIN_MARK.len()).enumerate();
    let behind = marks
        .filter(|(_, window)| *window == CHAIN_MARK)
        .filter_map(|(at, _)| line.get(at + CHAIN_MARK.len()..)?.get(..chain::DIGITS));
    let links = behind.filter_map(|digits| str::from_utf8(digits).ok()?.parse().ok());
    links.take(LINKS).collect()
}

/// The bytes in the place of the body, in a line with a wrong checksum.
pub fn readable_body(line: &[u8]) -> Option<&[u8]> {
    let json = unverified(line)?;
    let at = memchr::memmem::find(json, ENTRY_MARK)?;
    json[at + ENTRY_MARK.len()..].strip_suffix(b"}")
}

/// Whether bytes without an LF can be the beginning of an unfinished header.
pub fn may_be_begun(bytes: &[u8]) -> bool {
    let (crc, rest) = bytes.split_at(bytes.len().min(CRC_DIGITS));
    let begins = b" {\"v\":";
    let known = rest.len().min(begins.len());
    crc.iter().all(u8::is_ascii_hexdigit) && rest[..known] == begins[..known]
}

/// How many entries an invalid line may have held. An empty line held none.
pub fn possible_entries(line: &[u8]) -> u64 {
    match line {
        [] => 0,
        _ => marked_entries(line).max(1),
    }
}

/// How many entries begin in an invalid line, as far as their beginnings can be read. Two lines
/// look like one when the LF between them was damaged.
pub fn marked_entries(line: &[u8]) -> u64 {
    let marks = line.windows(SEQ_MARK.len());
    marks.filter(|window| *window == SEQ_MARK).count() as u64
}

/// Splits off the decimal digits with which `bytes` begin.
fn split_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    bytes.split_at(digits.count())
}

/// The highest number that can be read in an invalid line: of its entries, and of the numbers that
/// it retires. Much higher numbers than any daemon assigns are damage themselves.
pub fn readable_number(line: &[u8]) -> EntrySeq {
    let behind = |mark: &'static [u8]| {
        memchr::memmem::find_iter(line, mark).map(move |at| &line[at + mark.len()..])
    };
    let retired = behind(LOST_FROM_MARK);
    let retired = retired.filter_map(|rest| split_digits(rest).1.strip_prefix(TO_MARK));
    let numbers = behind(SEQ_MARK).chain(retired).map(split_digits);
    let numbers = numbers.filter_map(|(digits, _)| str::from_utf8(digits).ok()?.parse().ok());
    let believable = numbers.filter(|number| *number <= HIGHEST_BELIEVED);
    believable.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_checksum_space_json_lf() {
        let mut line = Vec::new();
        encode_entry(EntrySeq::new(17), br#"{"a":1}"#, ChainLink::NONE, &mut line);
        let json = "{\"seq\":17,\"chain\":\"b06a229070741292512e8760f470dd7a4c46ccfdf253df781d88dabe58c1ccb1\",\"entry\":{\"a\":1}}";
        assert_eq!(line, format!("2a755f16 {json}\n").as_bytes());
        assert_eq!(line.len(), entry_length(EntrySeq::new(17), br#"{"a":1}"#));
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let mut line = Vec::new();
        encode_entry(
            EntrySeq::new(1_000),
            br#"{"move":"e2e4"}"#,
            ChainLink::NONE,
            &mut line,
        );
        line.pop();
        assert!(record(&line).is_some());
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut bad = line.clone();
                bad[at] ^= 1 << bit;
                assert_eq!(record(&bad), None, "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn lost_numbers_come_back() {
        let lost = RetiredNumbers {
            from: EntrySeq::new(3),
            to: EntrySeq::new(9),
            file: "000000000001.jsonl.damaged".to_owned(),
            cause: None,
        };
        let mut line = Vec::new();
        let sealed = Sealed {
            link: encode_lost(&lost, ChainLink::NONE, &mut line).unwrap(),
            record: Record::Lost(lost),
        };
        line.pop();
        assert_eq!(record(&line), Some(sealed));
    }

    #[test]
    fn the_length_of_a_line_is_known_before_it_is_written() {
        for seq in [1, 9, 10, 999, 1_000_000, u64::MAX].map(EntrySeq::new) {
            let mut line = Vec::new();
            encode_entry(seq, b"{}", ChainLink::NONE, &mut line);
            assert_eq!(line.len(), entry_length(seq, b"{}"), "{seq}");
        }
    }
}
