//! Files of raw data: one per game and run of the daemon, bounded in size, each block sealed.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::ZlibEncoder};
use serde::{Deserialize, Serialize};

use super::{
    super::{
        ChainLink, DaemonSession, FILE_MODE, line,
        segment::{Segment, number_in},
    },
    RawLimits, RawSeal,
};
use remisd_vocabulary::{
    name::BoardId,
    seq::EntrySeq,
    time::{Clock, rfc3339},
};

/// The name of the format.
pub(super) const SCHEMA: &str = "remisd/raw/1";
/// The suffix of the file names.
pub(super) const SUFFIX: &str = ".raw";

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// [`SCHEMA`].
    pub(super) schema: String,
    /// The board.
    pub(super) board: String,
    /// The first number of the segment to which the file belongs.
    pub(super) first_seq: EntrySeq,
    boot_id: String,
    session: String,
    created: String,
}

/// Every line after the header.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Block {
    /// Its number, from 1.
    #[serde(rename = "block")]
    pub(super) number: u64,
    /// The link that seals the packed text after the previous block.
    pub(super) chain: ChainLink,
    /// The text, compressed with zlib (RFC 1950) and encoded in base64.
    pub(super) zlib: String,
}

/// The raw files of all boards that are still growing.
pub(super) struct Shelf {
    directory: PathBuf,
    limits: RawLimits,
    session: DaemonSession,
    clock: Arc<dyn Clock>,
    files: BTreeMap<BoardId, GrowingRawFile>,
}

struct GrowingRawFile {
    segment: EntrySeq,
    /// `None` once this game's limit is reached or the disk has refused a write.
    file: Option<(File, RawSeal)>,
    /// Bytes that may still be written for this game.
    room: u64,
}

impl Shelf {
    pub(super) fn new(
        directory: PathBuf,
        limits: RawLimits,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            directory,
            limits,
            session,
            clock,
            files: BTreeMap::new(),
        }
    }

    /// Adds a block to the file of the board's growing segment and returns the file's latest seal,
    /// if any. A failed write loses raw data and nothing else.
    pub(super) fn put(
        &mut self,
        board: &BoardId,
        segment: EntrySeq,
        text: &str,
    ) -> Option<RawSeal> {
        let growing = self.files.get(board);
        if growing.is_none_or(|growing| growing.segment != segment) {
            let begun = self.begin(board, segment).unwrap_or_else(|error| {
                tracing::warn!(%board, "no raw data is kept of this game: {error}");
                GrowingRawFile {
                    segment,
                    file: None,
                    room: 0,
                }
            });
            self.files.insert(board.clone(), begun);
        }
        let growing = self.files.get_mut(board)?;
        let (file, seal) = growing.file.as_mut()?;
        let added = add(file, seal, text, growing.room);
        match added {
            Ok(Some(bytes)) => growing.room -= bytes,
            Ok(None) => {
                tracing::info!(%board, "raw_kib is reached: no more raw data is kept of this game");
                growing.file = None;
                return None;
            }
            Err(error) => {
                // A block after the failure could not be distinguished from the torn remains.
                tracing::warn!(%board, "no more raw data is kept of this game: {error}");
                growing.file = None;
                return None;
            }
        }
        Some(seal.clone())
    }

    fn begin(&self, board: &BoardId, segment: EntrySeq) -> io::Result<GrowingRawFile> {
        let directory = self.directory.join(board.as_str());
        let stem = Segment::of(&directory, segment).file_name();
        let stem = stem.trim_end_matches(".jsonl");
        let mut files = list(&directory)?;
        let of_game = files.iter().filter(|file| file.segment == segment);
        let used: u64 = of_game.clone().map(|file| file.bytes).sum();
        let last = of_game.map(|file| file.number).max().unwrap_or(0);
        let number = last
            .checked_add(1)
            .ok_or_else(|| io::Error::other("its numbers are used up"))?;
        let room = self.limits.game.saturating_sub(used);
        if room == 0 {
            return Ok(GrowingRawFile {
                segment,
                file: None,
                room,
            });
        }
        // Newest first, so that `pop` takes the oldest.
        files.reverse();
        let mut all: u64 = files.iter().map(|file| file.bytes).sum();
        while all + room > self.limits.board
            && let Some(oldest) = files.pop()
        {
            if oldest.segment == segment {
                break;
            }
            fs::remove_file(&oldest.path)?;
            tracing::info!(file = %oldest.path.display(), "removed: raw_board_kib is reached");
            all -= oldest.bytes;
        }
        let name = format!("{stem}-{number}{SUFFIX}");
        let mut file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(directory.join(&name))?;
        let header = Header {
            schema: SCHEMA.to_owned(),
            board: board.to_string(),
            first_seq: segment,
            boot_id: self.session.boot_id.clone(),
            session: self.session.id.clone(),
            created: rfc3339(self.clock.now()),
        };
        let json = serde_json::to_vec(&header)?;
        let mut bytes = Vec::new();
        line::encode(&json, &mut bytes);
        file.write_all(&bytes)?;
        // Sync the name once per game. An entry may seal this file, so a power failure must not
        // free its name for another one.
        File::open(&directory)?.sync_all()?;
        let seal = RawSeal {
            file: name,
            blocks: 0,
            chain: ChainLink::of_header(&json),
        };
        Ok(GrowingRawFile {
            segment,
            file: Some((file, seal)),
            room: room.saturating_sub(bytes.len() as u64),
        })
    }
}

/// Adds a block if there is room for it and returns its size in bytes.
fn add(file: &mut File, seal: &mut RawSeal, text: &str, room: u64) -> io::Result<Option<u64>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    let packed = encoder.finish()?;
    let block = Block {
        number: seal.blocks + 1,
        chain: seal.chain.then(&packed),
        zlib: STANDARD.encode(&packed),
    };
    let mut bytes = Vec::new();
    line::encode(&serde_json::to_vec(&block)?, &mut bytes);
    let size = bytes.len() as u64;
    if size > room {
        return Ok(None);
    }
    file.write_all(&bytes)?;
    seal.blocks = block.number;
    seal.chain = block.chain;
    Ok(Some(size))
}

/// A file of raw data.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RawFile {
    /// The first number of the segment to which the file belongs.
    pub(crate) segment: EntrySeq,
    /// The file's number among those of its segment, from 1.
    pub(crate) number: u64,
    /// The file's path.
    pub(crate) path: PathBuf,
    /// The file's length, in bytes.
    pub(crate) bytes: u64,
}

impl RawFile {
    /// The file's name without its directory.
    pub(crate) fn name(&self) -> String {
        self.path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
}

/// Lists the raw files in a board's directory, oldest first.
pub(crate) fn list(directory: &Path) -> io::Result<Vec<RawFile>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let parts = name
            .to_str()
            .and_then(|name| name.strip_suffix(SUFFIX))
            .and_then(|stem| stem.split_once('-'));
        if let Some((segment, number)) = parts
            && let (Some(segment), Ok(number)) = (number_in(segment), number.parse())
        {
            files.push(RawFile {
                segment,
                number,
                path: entry.path(),
                bytes: entry.metadata()?.len(),
            });
        }
    }
    files.sort();
    Ok(files)
}
