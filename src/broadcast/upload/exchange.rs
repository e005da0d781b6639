//! Replaces a file on a server that refuses to rename onto a name that is taken.

use std::future::Future;

/// What a server can do with names.
pub(super) trait Names {
    /// Why it has not done it.
    type Error;

    /// Gives a file another name.
    fn rename(
        &mut self,
        from: &str,
        to: &str,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Removes a file.
    fn remove(&mut self, path: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Whether a regular file has this name.
    fn is_file(&mut self, path: &str) -> impl Future<Output = Result<bool, Self::Error>> + Send;
}

/// Gives `draft` the name `path`, after the server has `refused` to do so.
///
/// If a regular file has the name, it is set aside first, and removed at the end. If the draft does
/// not get the name, the old file gets it back: there is always a whole file, under one of the two
/// names.
///
/// # Errors
///
/// The server's error; `refused` if no regular file has the name.
pub(super) async fn exchange<N: Names>(
    names: &mut N,
    draft: &str,
    path: &str,
    refused: N::Error,
) -> Result<(), N::Error> {
    if !names.is_file(path).await? {
        return Err(refused);
    }
    let aside = format!("{path}.old");
    // It can be there after a connection that was lost. Otherwise this fails, and changes nothing.
    names.remove(&aside).await.ok();
    names.rename(path, &aside).await?;
    if let Err(error) = names.rename(draft, path).await {
        names.rename(&aside, path).await.ok();
        return Err(error);
    }
    // A file that stays is no game of the round: its name does not end in `.pgn`.
    names.remove(&aside).await.ok();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A server that does not rename onto a name that is taken, nor to `sealed`.
    #[derive(Default)]
    struct Server {
        files: BTreeMap<String, &'static str>,
        folders: Vec<String>,
        sealed: Option<&'static str>,
    }

    impl Names for Server {
        type Error = &'static str;

        async fn rename(&mut self, from: &str, to: &str) -> Result<(), &'static str> {
            if self.files.contains_key(to) || self.folders.iter().any(|folder| folder == to) {
                return Err("taken");
            }
            if self.sealed == self.files.get(from).copied() {
                return Err("sealed");
            }
            let content = self.files.remove(from).ok_or("no such file")?;
            self.files.insert(to.to_owned(), content);
            Ok(())
        }

        async fn remove(&mut self, path: &str) -> Result<(), &'static str> {
            self.files.remove(path).map(drop).ok_or("no such file")
        }

        async fn is_file(&mut self, path: &str) -> Result<bool, &'static str> {
            Ok(self.files.contains_key(path))
        }
    }

    fn server(files: &[(&str, &'static str)]) -> Server {
        let files = files
            .iter()
            .map(|(name, content)| ((*name).to_owned(), *content));
        Server {
            files: files.collect(),
            ..Server::default()
        }
    }

    #[tokio::test]
    async fn the_new_file_takes_the_place_of_the_old_one_and_leaves_nothing_behind() {
        let mut server = server(&[("g", "old"), ("g.tmp", "new"), ("g.old", "older")]);
        exchange(&mut server, "g.tmp", "g", "refused")
            .await
            .unwrap();
        assert_eq!(server.files, BTreeMap::from([("g".to_owned(), "new")]));
    }

    #[tokio::test]
    async fn the_old_file_is_there_again_if_the_new_one_does_not_get_its_name() {
        let mut server = server(&[("g", "old"), ("g.tmp", "new")]);
        server.sealed = Some("new");
        let error = exchange(&mut server, "g.tmp", "g", "refused").await;
        assert_eq!(error, Err("sealed"));
        assert_eq!(server.files["g"], "old");
    }

    #[tokio::test]
    async fn what_is_no_file_is_left_alone() {
        let mut server = server(&[("g.tmp", "new")]);
        server.folders.push("g".to_owned());
        let error = exchange(&mut server, "g.tmp", "g", "refused").await;
        assert_eq!(error, Err("refused"));
        assert_eq!(server.files["g.tmp"], "new");
    }
}
