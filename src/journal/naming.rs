//! Files that bear the name of another segment.
//!
//! A sound header tells with which entry its file begins. Where the file's name says otherwise,
//! somebody renamed it: the header is right, because the chain seals it.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use super::{
    line::{self, Header, MAX_LINE},
    segment::Segment,
};
use remisd_vocabulary::name::BoardId;

/// The suffix of a file between its old name and its right one.
const ON_ITS_WAY: &str = "renaming";

/// A segment whose header tells another number than its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misnamed {
    /// The file as it is named.
    pub segment: Segment,
    /// The number with which it begins.
    pub first: u64,
}

/// The files of `board` that have a wrong name while their right one is free, or is borne by
/// another such file. A copy beside the original keeps its name: it is damage.
pub fn misnamed(segments: &[Segment], board: &BoardId) -> io::Result<Vec<Misnamed>> {
    let mut misnamed: Vec<Misnamed> = Vec::new();
    for segment in segments {
        if let Some(first) = told_by_header(segment, board)?
            && first != segment.first
            && misnamed.iter().all(|other| other.first != first)
        {
            let segment = segment.clone();
            misnamed.push(Misnamed { segment, first });
        }
    }
    loop {
        let leaves = |first| misnamed.iter().any(|other| other.segment.first == first);
        let is_borne = |first| segments.iter().any(|segment| segment.first == first);
        let taken = misnamed
            .iter()
            .position(|file| is_borne(file.first) && !leaves(file.first));
        match taken {
            Some(at) => drop(misnamed.remove(at)),
            None => return Ok(misnamed),
        }
    }
}

/// The name of a file that will be `path`.
pub fn on_its_way(path: &Path) -> PathBuf {
    path.with_added_extension(ON_ITS_WAY)
}

/// Gives files on their way their names, also those of a start that was cut short. Returns
/// whether there were any.
pub fn finish(directory: &Path) -> io::Result<bool> {
    let mut moved = false;
    let files = match fs::read_dir(directory) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for file in files {
        let path = file?.path();
        let to = path.with_extension("");
        if path.extension().is_some_and(|end| end == ON_ITS_WAY) && !to.exists() {
            fs::rename(&path, &to)?;
            moved = true;
        }
    }
    Ok(moved)
}

/// The number in a sound header of this board; `None` for any other first line.
fn told_by_header(segment: &Segment, board: &BoardId) -> io::Result<Option<u64>> {
    let file = match File::open(&segment.path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut first = Vec::new();
    BufReader::with_capacity(512, file)
        .take(MAX_LINE as u64)
        .read_until(b'\n', &mut first)?;
    let Some(json) = first.strip_suffix(b"\n").and_then(line::verified) else {
        return Ok(None);
    };
    let header: Option<Header> = serde_json::from_slice(json).ok();
    let header =
        header.filter(|header| header.v == line::VERSION && header.board == board.as_str());
    Ok(header.map(|header| header.first_seq))
}
