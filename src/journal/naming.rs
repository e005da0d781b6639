//! Files that bear the name of another segment.
//!
//! A sound header says with which entry its file begins. Where the file's name says otherwise,
//! somebody renamed it: the header is right, because the chain seals it. Where the file with the
//! right name is there as well, somebody copied it: the copy is refused. Files of another record
//! are sorted out before that.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    identity::{self, Established, Head, Identity, RecordId},
    line::{self, Header, Sealed},
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The suffix of a file between its old name and its right one.
const ON_ITS_WAY: &str = "renaming";
/// The suffix of a damaged file that was set aside; a dot and a number follow if there are several.
pub const DAMAGED: &str = "damaged";
/// The suffix of a copy that was set aside; a number follows if there are several.
pub const COPY: &str = "copy";
/// The suffix of a file of another record that was set aside; a number follows likewise.
pub const OTHER: &str = "other";

/// A segment whose header has another number than its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misnamed {
    /// The file as it is named.
    pub segment: Segment,
    /// The number with which it begins.
    pub first: EntrySeq,
}

/// A file in a board's directory whose header carries the id of another record. It is not part of
/// the board's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherRecord {
    /// The file's name.
    pub file: String,
    /// The number in its name.
    pub first: EntrySeq,
    /// The id in its header, if it can be read.
    pub record: Option<RecordId>,
    /// Whether a start of the daemon has set it aside.
    pub is_set_aside: bool,
}

impl OtherRecord {
    fn of(head: &Head, is_set_aside: bool) -> Self {
        Self {
            file: head.segment.file_name(),
            first: head.segment.first,
            record: head.record,
            is_set_aside,
        }
    }
}

/// The files of a board's record, according to their headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// The files that make the record, under their right numbers, oldest first.
    pub segments: Vec<Segment>,
    /// The files of the record that have a wrong name.
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
    /// Files of another record, in the order of their names.
    pub other_record: Vec<OtherRecord>,
    /// What is known of the record's id.
    pub established: Established,
}

/// Sorts the files of `directory`, of which `segments` have the name of a segment.
pub fn sort_out(directory: &Path, segments: &[Segment], board: &BoardId) -> io::Result<Sorted> {
    let heads = heads(segments, board)?;
    let established = identity::establish(directory, &heads);
    let identity = established.identity;
    let (other, heads) = of_other_record(heads, identity);
    let Misnaming { misnamed, copies } = by_header(&heads);
    let mut sorted = Sorted {
        segments: Vec::new(),
        misnamed,
        renaming: Vec::new(),
        copies,
        set_aside: Vec::new(),
        strays: Vec::new(),
        other_record: (other.iter().map(|head| OtherRecord::of(head, false))).collect(),
        established,
    };
    let mut segments: Vec<Segment> = heads.into_iter().map(|head| head.segment).collect();
    segments.retain(|segment| sorted.copies.iter().all(|copy| copy.segment != *segment));
    for segment in &mut segments {
        let mut misnamed = sorted.misnamed.iter();
        if let Some(file) = misnamed.find(|file| file.segment == *segment) {
            segment.first = file.first;
        }
    }
    for file in files(directory)? {
        let path = file?.path();
        let first = segment::number_of(&path.with_extension(""));
        if is_set_aside(&path, COPY) {
            sorted.set_aside.push(path);
        } else if is_set_aside(&path, OTHER)
            && let Some(first) = first
        {
            let head = Head::read_if_possible(Segment { first, path }, board);
            sorted.other_record.push(OtherRecord::of(&head, true));
        } else if path.extension().is_some_and(|end| end == ON_ITS_WAY)
            && let Some(first) = first
        {
            let head = Head::read_if_possible(Segment { first, path }, board);
            if identity.is_other(head.record) {
                sorted.other_record.push(OtherRecord::of(&head, false));
            } else {
                sorted.renaming.push(head.segment);
            }
        } else if segment::is_stray(&path) {
            sorted.strays.push(path);
        }
    }
    sorted.strays.sort();
    sorted.renaming.sort();
    sorted.set_aside.sort();
    sorted.other_record.sort_by(|a, b| a.file.cmp(&b.file));
    for file in &sorted.renaming {
        if segments.iter().all(|segment| segment.first != file.first) {
            segments.push(file.clone());
        }
    }
    segments.sort();
    sorted.segments = segments;
    Ok(sorted)
}

/// Reads the beginnings of segments.
pub fn heads(segments: &[Segment], board: &BoardId) -> io::Result<Vec<Head>> {
    let heads = segments.iter().map(|segment| Head::read(segment, board));
    heads.collect()
}

/// Splits off the files of another record: returns them, and the others.
pub fn of_other_record(heads: Vec<Head>, identity: Identity) -> (Vec<Head>, Vec<Head>) {
    let is_other = |head: &Head| identity.is_other(head.record);
    heads.into_iter().partition(is_other)
}

/// The files of a record that have a wrong name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Misnaming {
    /// Files that make the record under other names.
    pub misnamed: Vec<Misnamed>,
    /// Files that are not part of the record.
    pub copies: Vec<Misnamed>,
}

/// The segments with a wrong name. If another file bears the right name by right, such a file is a
/// copy. Of several with the same header all but the first are copies.
pub fn by_header(heads: &[Head]) -> Misnaming {
    let (mut strange, mut sound, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for Head {
        segment, header, ..
    } in heads
    {
        match header.as_ref().map(|header| header.first_seq) {
            Some(first) if first == segment.first => sound.push(segment),
            Some(first) => strange.push(Misnamed {
                segment: segment.clone(),
                first,
            }),
            None => unknown.push(segment),
        }
    }
    let by_right = |first| {
        let mut segments = heads.iter().map(|head| &head.segment);
        segments.any(|segment| {
            segment.first == first && strange.iter().all(|file| file.segment != *segment)
        })
    };
    let mut sorted = Misnaming::default();
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
    sorted
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
    let there: BTreeMap<(EntrySeq, EntrySeq), Sealed> = there
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

/// Sets a file aside under a name that no segment has, and returns that name.
pub fn set_aside(file: &Path, suffix: &str) -> io::Result<PathBuf> {
    let named = |number: u32| match number {
        0 => file.with_added_extension(suffix),
        n => file.with_added_extension(format!("{suffix}{n}")),
    };
    let mut number = 0;
    while named(number).exists() {
        number += 1;
    }
    let aside = named(number);
    fs::rename(file, &aside)?;
    Ok(aside)
}

/// The files in a directory that are not read but may hold entries of this record. A start of the
/// daemon has set them aside, or not renamed them yet. Or their names are numbers, but not as the
/// daemon writes them.
pub fn beside_record(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut beside = Vec::new();
    for file in files(directory)? {
        let path = file?.path();
        let behind = segment::behind_name(&path).and_then(|behind| behind.strip_prefix('.'));
        let was_segment = behind.is_some_and(|behind| {
            let mut suffixes = [DAMAGED, COPY, ON_ITS_WAY].into_iter();
            suffixes.any(|suffix| behind.starts_with(suffix))
        });
        if was_segment || segment::is_numbered_stray(&path) {
            beside.push(path);
        }
    }
    Ok(beside)
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

/// The last number in a file with a sound header of this board's record; 0 for any other file.
pub fn last_number(path: &Path, board: &BoardId, identity: Identity) -> EntrySeq {
    let Ok(bytes) = fs::read(path) else {
        return EntrySeq::ZERO;
    };
    let mut lines = Lines::of(&bytes);
    let header = lines.next().and_then(|line| header(line, board));
    if header.is_none_or(|header| identity.is_other(header.record)) {
        return EntrySeq::ZERO;
    }
    let numbers = lines.filter_map(line::record);
    let numbers = numbers.map(|sealed| sealed.record.numbers().1);
    numbers.max().unwrap_or_default()
}

fn is_set_aside(path: &Path, suffix: &str) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| {
        end.strip_prefix(suffix)
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

/// Gives files on their way their names, also those of a start that was cut short. Returns their
/// old and new names.
pub fn finish(directory: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut moved = Vec::new();
    for file in files(directory)? {
        let path = file?.path();
        let to = path.with_extension("");
        let is_on_its_way = path.extension().is_some_and(|end| end == ON_ITS_WAY);
        if is_on_its_way && segment::number_of(&to).is_some() && !to.exists() {
            fs::rename(&path, &to)?;
            moved.push((path, to));
        }
    }
    Ok(moved)
}

/// A sound header of this board; `None` for any other first line.
pub fn header(first: &[u8], board: &BoardId) -> Option<Header> {
    header_in(line::verified(first)?, board)
}

/// A header of this board in the JSON of a first line.
pub fn header_in(json: &[u8], board: &BoardId) -> Option<Header> {
    let header: Header = serde_json::from_slice(json).ok()?;
    let is_ours = header.v == line::VERSION && header.board == board.as_str();
    (is_ours && (EntrySeq::new(1)..=line::HIGHEST).contains(&header.first_seq)).then_some(header)
}

/// The name of a file without its directory.
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
