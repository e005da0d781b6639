//! One connection to a server, kept between files and opened again when it is lost.

use std::{future::Future, time::Duration};

use tokio::time::timeout;

use super::{Change, RemoteFile, UploadError, Uploader};

/// How long connecting may take, from the name to the end of the login.
const CONNECT: Duration = Duration::from_secs(30);
/// How long one file may take.
const FILE: Duration = Duration::from_mins(1);

/// A server with files, and how to log in there.
pub trait Server: Send + Sync + 'static {
    /// A connection after the login.
    type Connection: Connection;

    /// Opens a connection. Sends neither login nor files to a server with another identity.
    fn connect(&self) -> impl Future<Output = Result<Self::Connection, UploadError>> + Send;
}

/// A connection after the login.
pub trait Connection: Send {
    /// Puts a file into its place: never half a file, and its folder is made if it is missing.
    fn put(
        &mut self,
        file: &RemoteFile,
        content: &[u8],
    ) -> impl Future<Output = Result<(), UploadError>> + Send;

    /// Whether a file is there.
    fn has(&mut self, file: &RemoteFile) -> impl Future<Output = Result<bool, UploadError>> + Send;

    /// Removes a file.
    fn remove(&mut self, file: &RemoteFile)
    -> impl Future<Output = Result<(), UploadError>> + Send;
}

/// Sends files over one connection.
#[derive(Debug)]
pub struct Session<S: Server> {
    server: S,
    connection: Option<S::Connection>,
}

impl<S: Server> Session<S> {
    /// A session that connects with the first file.
    #[must_use]
    pub const fn new(server: S) -> Self {
        Self {
            server,
            connection: None,
        }
    }

    /// Sends a file, and keeps the connection if it is still of use.
    async fn send_over(
        &mut self,
        mut connection: S::Connection,
        file: &RemoteFile,
        change: Change<'_>,
    ) -> Result<bool, UploadError> {
        let sent = timeout(FILE, make(&mut connection, file, change)).await;
        let sent = sent.unwrap_or(Err(UploadError::Timeout(FILE.as_secs())));
        if sent.as_ref().err().is_none_or(UploadError::is_of_the_file) {
            self.connection = Some(connection);
        }
        sent
    }
}

/// Makes a change, and returns whether the file is as wanted.
async fn make(
    connection: &mut impl Connection,
    file: &RemoteFile,
    change: Change<'_>,
) -> Result<bool, UploadError> {
    match change {
        Change::IfAbsent(_) if connection.has(file).await? => return Ok(false),
        Change::Content(content) | Change::IfAbsent(content) => {
            connection.put(file, content).await?;
        }
        Change::Gone if connection.has(file).await? => connection.remove(file).await?,
        Change::Gone => {}
    }
    Ok(true)
}

impl<S: Server> Uploader for Session<S> {
    async fn send(&mut self, file: &RemoteFile, change: Change<'_>) -> Result<bool, UploadError> {
        if let Some(kept) = self.connection.take() {
            let sent = self.send_over(kept, file, change).await;
            // Servers close a connection that is idle for long. A new one is no reason to wait.
            if !sent.as_ref().is_err_and(UploadError::is_of_the_connection) {
                return sent;
            }
        }
        let connection = timeout(CONNECT, self.server.connect()).await;
        let connection = connection.unwrap_or(Err(UploadError::Timeout(CONNECT.as_secs())))?;
        self.send_over(connection, file, change).await
    }
}
