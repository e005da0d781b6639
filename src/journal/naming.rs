//! Files that bear the name of another segment.
//!
//! A sound header says with which entry its file begins. Where the file's name says otherwise,
//! somebody renamed it: the header is right, because the chain seals it. Where the file with the
//! right name is there as well, somebody copied it: the copy is refused.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use super::{
    line::{self, Header, MAX_LINE, Sealed},
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::name::BoardId;

/// The suffix of a file between its old name and its right one.
const ON_ITS_WAY: &str = "renaming";
/// The suffix of a copy that was set aside; a number follows if there are several.
const COPY: &str = "copy";

/// A segment whose header has another number than its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misnamed {
    /// The file as it is named.
    pub segment: Segment,
    /// The number with which it begins.
    pub first: u64,
}

/// The files of a board's record, according to their headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sorted {
    /// The files that make the record, under their right numbers, oldest first.
    pub segments: Vec<Segment>,
    /// Those of them that have a wrong name.
    pub misnamed: Vec<Misnamed>,
    /// Files whose renaming was interrupted, under the numbers that they were to get. They belong
    /// to the record unless another file has that number.
    pub renaming: Vec<Segment>,
    /// Files whose header states the number of another file. They are not part of the record.
    pub copies: Vec<Misnamed>,
    /// Copies that a start of the daemon has set aside.
    pub set_aside: Vec<PathBuf>,
    /// Files whose names are like those of segments, but no segment has such a name. They are not
    /// read.
    pub strays: Vec<PathBuf>,
}

/// Sorts the files of `directory`, of which `segments` have the name of a segment.
pub fn sort_out(
    directory: &Path,
    mut segments: Vec<Segment>,
    board: &BoardId,
) -> io::Result<Sorted> {
    let mut sorted = by_header(&segments, board)?;
    segments.retain(|segment| sorted.copies.iter().all(|copy| copy.segment != *segment));
    for segment in &mut segments {
        let mut misnamed = sorted.misnamed.iter();
        if let Some(file) = misnamed.find(|file| file.segment == *segment) {
            segment.first = file.first;
        }
    }
    for file in files(directory)? {
        let path = file?.path();
        if is_set_aside(&path) {
            sorted.set_aside.push(path);
        } else if path.extension().is_some_and(|end| end == ON_ITS_WAY)
            && let Some(first) = segment::number_of(&path.with_extension(""))
        {
            sorted.renaming.push(Segment { first, path });
        } else if segment::is_stray(&path) {
            sorted.strays.push(path);
        }
    }
    sorted.strays.sort();
    sorted.renaming.sort();
    sorted.set_aside.sort();
    for file in &sorted.renaming {
        if segments.iter().all(|segment| segment.first != file.first) {
            segments.push(file.clone());
        }
    }
    segments.sort();
    sorted.segments = segments;
    Ok(sorted)
}

/// The files of `segments` with a wrong name. If another file bears the right name by right, such a
/// file is a copy. Of several with the same header all but the first are copies.
pub fn by_header(segments: &[Segment], board: &BoardId) -> io::Result<Sorted> {
    let (mut strange, mut sound, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for segment in segments {
        match told_by_header(segment, board)? {
            Some(first) if first == segment.first => sound.push(segment),
            Some(first) => strange.push(Misnamed {
                segment: segment.clone(),
                first,
            }),
            None => unknown.push(segment),
        }
    }
    let by_right = |first| {
        let mut segments = segments.iter().filter(|segment| segment.first == first);
        segments.any(|segment| strange.iter().all(|file| file.segment != *segment))
    };
    let mut sorted = Sorted::default();
    for segment in unknown {
        if let Some(original) = copied_from(segment, &sound) {
            sorted.copies.push(Misnamed {
                segment: segment.clone(),
                first: original.first,
            });
        }
    }
    for file in &strange {
        let mut misnamed = sorted.misnamed.iter();
        if by_right(file.first) || misnamed.any(|other| other.first == file.first) {
            sorted.copies.push(file.clone());
        } else {
            sorted.misnamed.push(file.clone());
        }
    }
    Ok(sorted)
}

/// The file of which `segment`, without a sound header, is a copy: one of `sound`, in order, has
/// each entry that can be read in it, under the same seal. A file that cannot be read is not a
/// copy.
fn copied_from<'a>(segment: &Segment, sound: &[&'a Segment]) -> Option<&'a Segment> {
    let records = |segment: &Segment| -> Option<Vec<Sealed>> {
        let bytes = fs::read(&segment.path).ok()?;
        Some(Lines::of(&bytes).filter_map(line::record).collect())
    };
    let copied = records(segment)?;
    let (first, _) = copied.first()?.record.numbers();
    let newer = sound.partition_point(|other| other.first <= first);
    let original = sound[..newer].last()?;
    let there = records(original)?.into_iter();
    let there: BTreeMap<(u64, u64), Sealed> = there
        .map(|sealed| (sealed.record.numbers(), sealed))
        .collect();
    let has = |sealed: &Sealed| there.get(&sealed.record.numbers()) == Some(sealed);
    let is_copy = copied.iter().all(has);
    is_copy.then_some(original)
}

/// The name of a file that will be `path`.
pub fn on_its_way(path: &Path) -> PathBuf {
    path.with_added_extension(ON_ITS_WAY)
}

/// Sets a copy aside under a name that no segment has, and returns that name.
pub fn set_aside(copy: &Path) -> io::Result<PathBuf> {
    let named = |number: u32| match number {
        0 => copy.with_added_extension(COPY),
        n => copy.with_added_extension(format!("{COPY}{n}")),
    };
    let mut number = 0;
    while named(number).exists() {
        number += 1;
    }
    let aside = named(number);
    fs::rename(copy, &aside)?;
    Ok(aside)
}

/// The files in a directory whose names are numbers, but not as the daemon writes them.
pub fn numbered_strays(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut strays = Vec::new();
    for file in files(directory)? {
        let path = file?.path();
        if segment::is_numbered_stray(&path) {
            strays.push(path);
        }
    }
    strays.sort();
    Ok(strays)
}

/// The last number in a file with a sound header of this board; 0 for any other file.
pub fn last_number(path: &Path, board: &BoardId) -> u64 {
    let Ok(bytes) = fs::read(path) else {
        return 0;
    };
    let mut lines = Lines::of(&bytes);
    if lines.next().and_then(|line| header(line, board)).is_none() {
        return 0;
    }
    let numbers = lines.filter_map(line::record);
    let numbers = numbers.map(|sealed| sealed.record.numbers().1);
    numbers.max().unwrap_or(0)
}

fn is_set_aside(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| {
        end.strip_prefix(COPY)
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// The files in a directory; none if there is no directory.
pub fn files(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(directory) {
        Ok(files) => Ok(Some(files).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(error) => Err(error),
    }
}

/// Gives files on their way their names, also those of a start that was cut short. Returns
/// whether there were any.
pub fn finish(directory: &Path) -> io::Result<bool> {
    let mut moved = false;
    for file in files(directory)? {
        let path = file?.path();
        let to = path.with_extension("");
        let is_on_its_way = path.extension().is_some_and(|end| end == ON_ITS_WAY);
        if is_on_its_way && segment::number_of(&to).is_some() && !to.exists() {
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
        Err(error) => return Err(segment::error_of(&segment.path)(error)),
    };
    let mut first = Vec::new();
    BufReader::with_capacity(512, file)
        .take(MAX_LINE as u64)
        .read_until(b'\n', &mut first)
        .map_err(segment::error_of(&segment.path))?;
    let first = first.strip_suffix(b"\n");
    let header = first.and_then(|first| header(first, board));
    Ok(header.map(|header| header.first_seq))
}

/// A sound header of this board; `None` for any other first line.
pub fn header(first: &[u8], board: &BoardId) -> Option<Header> {
    let header: Header = serde_json::from_slice(line::verified(first)?).ok()?;
    let is_ours = header.v == line::VERSION && header.board == board.as_str();
    (is_ours && (1..=line::HIGHEST).contains(&header.first_seq)).then_some(header)
}

/// The name of a file without its directory.
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
