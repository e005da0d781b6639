//! The file of a tournament report, as far as it can be used.
//!
//! Programs write a report while it is read. What cannot be read, or lacks players that it names, is
//! not used: the last good one serves until the file is whole.

use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use remisd_trf::{MAX_BYTES, Report};
use remisd_vocabulary::time::{Moment, Span};
use rustix::fs::{Mode, OFlags};

/// How long a report must stay as it is before it counts although it lacks players that it names.
const SETTLED: Span = Span::from_millis(60_000);

/// The file of a report with what was read from it.
#[derive(Debug)]
pub(super) struct ReportFile {
    path: PathBuf,
    /// The last report that could be used.
    last: Option<(Version, Arc<Report>)>,
    /// The state of the file that could not be read: it is not tried again.
    failed: Option<Version>,
    /// The state of the file that lacked players, and since when.
    doubtful: Option<(Version, Moment)>,
}

/// The state of a file: when it was written, and its length.
type Version = (Option<SystemTime>, u64);

/// There is no report that can be used. The log says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unusable;

impl ReportFile {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            last: None,
            failed: None,
            doubtful: None,
        }
    }

    /// The report, read again if its file has changed. While the file is not whole, the last one.
    pub(super) fn newest_whole(&mut self, now: Moment) -> Result<Arc<Report>, Unusable> {
        let read = self.read(now);
        match (&self.last, read) {
            (Some((_, last)), Err(Unusable)) => Ok(Arc::clone(last)),
            (_, read) => read,
        }
    }

    fn read(&mut self, now: Moment) -> Result<Arc<Report>, Unusable> {
        let known = version(&self.path);
        let state = known.as_ref().map_or((None, 0), |state| *state);
        if self.failed == Some(state) {
            return Err(Unusable);
        }
        let (path, failed) = (&self.path, &mut self.failed);
        let mut refused = |error: &dyn Display| {
            tracing::warn!(file = %path.display(), "the tournament's report: {error}");
            *failed = Some(state);
            Unusable
        };
        let version = known.map_err(|error| refused(&error))?;
        if let Some((known, report)) = &self.last
            && *known == version
        {
            return Ok(Arc::clone(report));
        }
        let bytes = content(path).map_err(|error| refused(&error))?;
        let report = Report::read(&bytes).map_err(|error| refused(&error))?;
        let last = self.last.as_ref().map(|(_, last)| last.players().len());
        let lacks = |players| report.lacks_opponents() || report.players().len() < players;
        if last.is_some_and(lacks) {
            // Perhaps it is half written. It counts if it stays so.
            let doubtful = self.doubtful.filter(|(known, _)| *known == version);
            let (_, since) = *self.doubtful.insert(doubtful.unwrap_or((version, now)));
            if now - since < SETTLED {
                return Err(Unusable);
            }
        }
        self.doubtful = None;
        for finding in report.findings() {
            let (line, column, what) = (finding.line, finding.column, &finding.what);
            tracing::info!(file = %path.display(), "line {line}, column {column}: {what}");
        }
        let report = Arc::new(report);
        self.last = Some((version, Arc::clone(&report)));
        Ok(report)
    }
}

fn version(file: &Path) -> io::Result<Version> {
    let about = fs::metadata(file)?;
    Ok((about.modified().ok(), about.len()))
}

/// The content of a report, as far as one is read. A pipe or a device is refused, and not waited for.
fn content(file: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = File::from(rustix::fs::open(file, flags, Mode::empty())?);
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) + 1;
    let mut bytes = Vec::new();
    opened.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hall::standings::tests::{FIRST, SECOND, report};

    #[test]
    fn while_a_report_is_being_written_the_last_good_one_serves() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("open.trf");
        let mut read = ReportFile::new(&file);
        let at = Moment::from_millis;
        let whole = |rounds| report(rounds).write();
        assert!(read.newest_whole(at(0)).is_err(), "there is none yet");
        fs::write(&file, whole(&FIRST)).unwrap();
        let good = read.newest_whole(at(0)).unwrap();
        for half in [&b""[..], b"001    1      A", &whole(&SECOND)[..150]] {
            fs::write(&file, half).unwrap();
            assert!(
                Arc::ptr_eq(&read.newest_whole(at(1_000)).unwrap(), &good),
                "{half:?}"
            );
        }
        fs::remove_file(&file).unwrap();
        assert!(Arc::ptr_eq(&read.newest_whole(at(2_000)).unwrap(), &good));
        fs::write(&file, whole(&SECOND)).unwrap();
        let next = read.newest_whole(at(3_000)).unwrap();
        assert_eq!(next.write(), whole(&SECOND));
        // A file that stays incomplete is meant so.
        let cut: Vec<u8> = whole(&SECOND).into_iter().take(300).collect();
        fs::write(&file, &cut).unwrap();
        assert!(Arc::ptr_eq(&read.newest_whole(at(4_000)).unwrap(), &next));
        assert!(Arc::ptr_eq(&read.newest_whole(at(63_999)).unwrap(), &next));
        assert_eq!(read.newest_whole(at(64_000)).unwrap().write(), cut);
    }

    #[test]
    fn a_report_that_is_a_pipe_is_refused_and_nobody_waits_for_it() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("open.trf");
        rustix::fs::mkfifoat(rustix::fs::CWD, &file, Mode::RUSR | Mode::WUSR).unwrap();
        let why = content(&file).unwrap_err();
        assert_eq!(why.to_string(), "it is not a regular file");
        let mut read = ReportFile::new(&file);
        assert_eq!(read.newest_whole(Moment::START).unwrap_err(), Unusable);
        assert_eq!(
            content(place.path()).unwrap_err().to_string(),
            "it is not a regular file"
        );
    }
}
