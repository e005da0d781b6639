//! Reads raw data and checks it against the seals in the entries.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    fs,
    io::{self, Read as _},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::ZlibDecoder;
use serde::Deserialize;

use super::{
    super::{ChainLink, line, reader::Reader, segment::Lines},
    RawSeal,
    file::{self, Block, Header, RawFile, SCHEMA},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Maximum length of a block's text, in bytes; a recorder never produces more.
const LONGEST: u64 = 4 << 20;

/// The result of checking a board's raw data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawVerified {
    /// Number of files present.
    pub files: usize,
    /// Number of valid blocks in them.
    pub blocks: u64,
    /// Number of blocks that entries seal but that are absent: removed to make room, lost in a
    /// power failure, or deleted.
    pub missing: u64,
    /// The places where raw data differs from what was written.
    pub breaks: Vec<RawBreak>,
}

/// A place where raw data differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawBreak {
    /// A line of a file is damaged or changed; nothing after it was read.
    Line {
        /// The file's name.
        file: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// The blocks are consistent with each other but differ from those that an entry seals.
    Seal {
        /// The file's name.
        file: String,
        /// The number of the entry.
        seq: EntrySeq,
    },
}

impl fmt::Display for RawBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => {
                write!(f, "{file}, line {line}: the line is damaged or was changed")
            }
            Self::Seal { file, seq } => write!(f, "{file}: not what entry {seq} seals"),
        }
    }
}

/// The valid part of a file.
struct RawScan {
    /// The link after the header and after each block.
    links: Vec<ChainLink>,
    texts: Vec<String>,
    /// The first invalid line.
    flaw: Option<usize>,
}

impl Reader {
    /// Returns the raw data of a segment's game as text, in the format of
    /// [`Recorder`](super::Recorder). Invalid parts are left out; a comment marks each omission.
    pub fn raw(&self, board: &BoardId, segment: EntrySeq) -> io::Result<String> {
        let files = file::list(&self.directory_of(board))?;
        // Writing to a `String` does not fail.
        let mut text = String::new();
        for file in files.iter().filter(|file| file.segment == segment) {
            let scan = scan(board, file)?;
            writeln!(text, "# {}", file.name()).ok();
            text.extend(scan.texts);
            if let Some(line) = scan.flaw {
                writeln!(text, "# line {line} of the file cannot be believed").ok();
            }
        }
        Ok(text)
    }

    /// Reads a board's raw data and checks it against the seals in the board's entries.
    pub fn verify_raw(&self, board: &BoardId) -> io::Result<RawVerified> {
        let mut verified = RawVerified::default();
        let mut links: BTreeMap<String, Vec<ChainLink>> = BTreeMap::new();
        for file in file::list(&self.directory_of(board))? {
            let scan = scan(board, &file)?;
            verified.files += 1;
            verified.blocks += scan.texts.len() as u64;
            if let Some(line) = scan.flaw {
                let file = file.name();
                verified.breaks.push(RawBreak::Line { file, line });
            }
            links.insert(file.name(), scan.links);
        }
        let mut sealed: BTreeMap<String, u64> = BTreeMap::new();
        for segment in self.each_segment(board)? {
            for entry in segment.read()?.entries {
                let Some(seal) = seal_of(&entry.body) else {
                    continue;
                };
                let blocks = sealed.entry(seal.file.clone()).or_default();
                *blocks = seal.blocks.max(*blocks);
                let at = usize::try_from(seal.blocks).unwrap_or(usize::MAX);
                let found = links.get(&seal.file).and_then(|links| links.get(at));
                if found.is_some_and(|link| *link != seal.chain) {
                    verified.breaks.push(RawBreak::Seal {
                        file: seal.file,
                        seq: entry.seq,
                    });
                }
            }
        }
        for (file, blocks) in sealed {
            let there = links
                .get(&file)
                .map_or(0, |links| links.len().saturating_sub(1));
            verified.missing += blocks.saturating_sub(there as u64);
        }
        Ok(verified)
    }
}

/// The seal in an entry.
fn seal_of(body: &[u8]) -> Option<RawSeal> {
    const MARK: &[u8] = b"\"raw\":";
    #[derive(Deserialize)]
    struct Sealing {
        #[serde(default)]
        raw: Option<RawSeal>,
    }
    // Most entries have no seal, and this search is cheaper than parsing the entry.
    if !body.windows(MARK.len()).any(|window| window == MARK) {
        return None;
    }
    serde_json::from_slice::<Sealing>(body).ok()?.raw
}

fn scan(board: &BoardId, file: &RawFile) -> io::Result<RawScan> {
    let bytes = fs::read(&file.path)?;
    let mut scan = RawScan {
        links: Vec::new(),
        texts: Vec::new(),
        flaw: None,
    };
    for (index, line) in Lines::of(&bytes).enumerate() {
        let taken = match scan.links.last() {
            None => header(board, file, line).map(|link| (link, None)),
            Some(before) => {
                block(*before, index as u64, line).map(|(link, text)| (link, Some(text)))
            }
        };
        let Some((link, text)) = taken else {
            scan.flaw = Some(index + 1);
            break;
        };
        scan.links.push(link);
        scan.texts.extend(text);
    }
    Ok(scan)
}

fn header(board: &BoardId, file: &RawFile, line: &[u8]) -> Option<ChainLink> {
    let json = line::verified(line)?;
    let header: Header = serde_json::from_slice(json).ok()?;
    let fits = header.schema == SCHEMA
        && header.board == board.as_str()
        && header.first_seq == file.segment;
    fits.then(|| ChainLink::of_header(json))
}

fn block(before: ChainLink, number: u64, line: &[u8]) -> Option<(ChainLink, String)> {
    let block: Block = serde_json::from_slice(line::verified(line)?).ok()?;
    let packed = STANDARD.decode(&block.zlib).ok()?;
    if block.number != number || before.then(&packed) != block.chain {
        return None;
    }
    let mut text = String::new();
    // The limit keeps a small file from exhausting memory.
    let mut unpacked = ZlibDecoder::new(&packed[..]).take(LONGEST);
    unpacked.read_to_string(&mut text).ok()?;
    Some((block.chain, text))
}
