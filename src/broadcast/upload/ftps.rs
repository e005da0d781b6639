//! Files sent by FTP over TLS (RFC 4217): control and data connections are encrypted.
//!
//! ```text
//!  AUTH TLS ─▶ PBSZ 0, PROT P ─▶ USER, PASS ─▶ TYPE I
//!  PASV ─▶ STOR round-3/game-1.pgn.tmp ─▶ RNFR, RNTO game-1.pgn
//! ```
//!
//! Data goes to the host of the control connection, whatever address `PASV` answers. On a server that
//! refuses a name that is taken, the old file is set aside first: see [`exchange`].

use std::fmt;

use suppaftp::{
    FtpError,
    tokio::AsyncRustlsFtpStream,
    types::{FileType, Mode},
};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use super::{
    Address, Authorities, Connection, Protocol, Reason, RemoteFile, Server, UploadError,
    exchange::{Names, exchange},
};

/// Shorter passwords are not sought in a server's answers: replacing them would garble these.
const SHORTEST_SECRET: usize = 4;

/// An FTP server with TLS.
#[derive(Clone)]
pub struct Ftps {
    /// The server, the user and the folder.
    pub address: Address,
    /// The user's password. It is never logged.
    pub password: String,
    /// Who certifies the server.
    pub authorities: Authorities,
}

impl fmt::Debug for Ftps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ftps")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// A connection to an FTP server.
pub struct FtpsConnection {
    stream: AsyncRustlsFtpStream,
    address: Address,
}

impl Server for Ftps {
    type Connection = FtpsConnection;

    async fn connect(&self) -> Result<FtpsConnection, UploadError> {
        let (host, port) = (self.address.host(), self.address.port());
        let connector = self.authorities.connector();
        let unconnected = |error| unconnected(error, &self.authorities);
        let mut stream = if self.address.protocol() == Protocol::ImplicitFtps {
            let stream =
                AsyncRustlsFtpStream::connect_secure_implicit((host, port), connector, host);
            let mut stream = stream.await.map_err(unconnected)?;
            protect_data(&mut stream).await.map_err(unconnected)?;
            stream
        } else {
            let socket = TcpStream::connect((host, port)).await;
            let socket = socket.map_err(|error| UploadError::Unreachable(Reason::new(error)))?;
            let plain = AsyncRustlsFtpStream::connect_with_stream(socket).await;
            let plain = plain.map_err(unconnected)?;
            let secure = plain.into_secure(connector, host).await;
            secure.map_err(unconnected)?
        };
        let peer = stream.get_ref().await.peer_addr();
        if peer.is_ok_and(|peer| peer.is_ipv6()) {
            stream.set_mode(Mode::ExtendedPassive);
        } else {
            stream.set_mode(Mode::Passive);
            stream.set_passive_nat_workaround(true);
        }
        let login = stream.login(self.address.user(), &self.password).await;
        login.map_err(|error| self.not_logged_in(error))?;
        let binary = stream.transfer_type(FileType::Binary).await;
        binary.map_err(|error| failed(error).unwrap_or_else(|reply| closed(&reply)))?;
        Ok(FtpsConnection {
            stream,
            address: self.address.clone(),
        })
    }
}

/// Demands that data is encrypted, too; the library does so only when it changes to TLS itself.
async fn protect_data(stream: &mut AsyncRustlsFtpStream) -> Result<(), FtpError> {
    for command in ["PBSZ 0", "PROT P"] {
        stream
            .custom_command(command, &[suppaftp::Status::CommandOk])
            .await?;
    }
    Ok(())
}

impl Ftps {
    fn not_logged_in(&self, error: FtpError) -> UploadError {
        match error {
            FtpError::UnexpectedResponse(response) => {
                let mut said = said(&response);
                if self.password.len() >= SHORTEST_SECRET {
                    said = said.replace(&self.password, "…");
                }
                UploadError::Login(Reason::new(said))
            }
            error => UploadError::Lost(Reason::new(error)),
        }
    }
}

impl Connection for FtpsConnection {
    async fn has(&mut self, file: &RemoteFile) -> Result<bool, UploadError> {
        let path = self.address.path(&file.to_string());
        Names::is_file(&mut self.stream, &path)
            .await
            .map_err(of_file)
    }

    async fn remove(&mut self, file: &RemoteFile) -> Result<(), UploadError> {
        let path = self.address.path(&file.to_string());
        Names::remove(&mut self.stream, &path)
            .await
            .map_err(of_file)
    }

    async fn put(&mut self, file: &RemoteFile, content: &[u8]) -> Result<(), UploadError> {
        let path = self.address.path(&file.to_string());
        let draft = format!("{path}.tmp");
        match self.store(&draft, content).await {
            Err(FtpError::UnexpectedResponse(response)) if is_no_file(&response) => {
                self.make_folders(&self.address.path(&file.folder()))
                    .await?;
                self.store(&draft, content).await.map_err(of_file)?;
            }
            other => other.map_err(of_file)?,
        }
        match self.stream.rename(&draft, &path).await {
            Err(FtpError::UnexpectedResponse(response)) if is_no_file(&response) => {
                let refused = FtpError::UnexpectedResponse(response);
                exchange(&mut self.stream, &draft, &path, refused)
                    .await
                    .map_err(of_file)
            }
            other => other.map_err(of_file),
        }
    }
}

impl Names for AsyncRustlsFtpStream {
    type Error = FtpError;

    async fn rename(&mut self, from: &str, to: &str) -> Result<(), FtpError> {
        Self::rename(self, from, to).await
    }

    async fn remove(&mut self, path: &str) -> Result<(), FtpError> {
        self.rm(path).await
    }

    /// Only a file has a size (RFC 3659, 4). A server without `SIZE` is asked for the file's facts,
    /// and without these for its name.
    async fn is_file(&mut self, path: &str) -> Result<bool, FtpError> {
        if let Some(is_there) = certain(self.size(path).await.map(|_| true))? {
            return Ok(is_there);
        }
        let facts = self.mlst(Some(path)).await;
        let is_file = |facts: String| facts.to_ascii_lowercase().contains("type=file;");
        if let Some(is_there) = certain(facts.map(is_file))? {
            return Ok(is_there);
        }
        let names = self.nlst(Some(path)).await;
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_named = |names: Vec<String>| {
            let mut names = names.iter();
            names.any(|found| found.trim_end().rsplit('/').next() == Some(name))
        };
        match names {
            Err(FtpError::UnexpectedResponse(response)) if response.status.code() == 450 => {
                Ok(false)
            }
            names => names.map(is_named).or_else(absent),
        }
    }
}

/// What an answer says about a file; `None` if the server does not know the command.
fn certain(answer: Result<bool, FtpError>) -> Result<Option<bool>, FtpError> {
    match answer {
        Err(FtpError::UnexpectedResponse(response))
            if matches!(response.status.code(), 500 | 502) =>
        {
            Ok(None)
        }
        answer => answer.or_else(absent).map(Some),
    }
}

/// Whether an error says that a file is not there: 550 alone (RFC 959, 4.2.2).
fn absent(error: FtpError) -> Result<bool, FtpError> {
    match error {
        FtpError::UnexpectedResponse(response) if response.status.code() == 550 => Ok(false),
        error => Err(error),
    }
}

impl FtpsConnection {
    async fn store(&mut self, path: &str, content: &[u8]) -> Result<(), FtpError> {
        let mut data = self.stream.put_with_stream(path).await?;
        let written = data.write_all(content).await;
        // A server that ends a transfer says why after the data connection is closed.
        data.finish().await?;
        written.map_err(FtpError::ConnectionError)
    }

    /// Makes a folder and those above it, as far as they are missing.
    async fn make_folders(&mut self, path: &str) -> Result<(), UploadError> {
        let ends = path
            .match_indices('/')
            .map(|(at, _)| at)
            .filter(|at| *at > 0);
        for end in ends.chain([path.len()]) {
            match self.stream.mkdir(&path[..end]).await {
                // It is there, or the file cannot be stored either.
                Ok(()) | Err(FtpError::UnexpectedResponse(_)) => {}
                Err(error) => return Err(of_file(error)),
            }
        }
        Ok(())
    }
}

/// Whether a reply says that a name cannot be used: 550 and 553 (RFC 959, 4.2.2).
fn is_no_file(response: &suppaftp::types::Response) -> bool {
    matches!(response.status.code(), 450 | 550 | 553)
}

/// What a server says, with the number.
fn said(response: &suppaftp::types::Response) -> String {
    let text = String::from_utf8_lossy(&response.body);
    let code = response.status.code().to_string();
    if text.starts_with(&code) {
        text.into_owned()
    } else {
        format!("{code} {text}")
    }
}

fn unconnected(error: FtpError, authorities: &Authorities) -> UploadError {
    match error {
        FtpError::SecureError(error) if authorities.have_refused() => {
            UploadError::Certificate(Reason::new(error))
        }
        FtpError::SecureError(error) => {
            UploadError::Unreachable(Reason::new(format_args!("no TLS connection: {error}")))
        }
        FtpError::UnexpectedResponse(response) => UploadError::Closed(Reason::new(said(&response))),
        error => UploadError::Unreachable(Reason::new(error)),
    }
}

fn closed(response: &suppaftp::types::Response) -> UploadError {
    UploadError::Closed(Reason::new(said(response)))
}

fn of_file(error: FtpError) -> UploadError {
    let refused = |response| UploadError::Refused(Reason::new(said(&response)));
    failed(error).unwrap_or_else(refused)
}

/// What concerns the connection; else the server's reply.
fn failed(error: FtpError) -> Result<UploadError, suppaftp::types::Response> {
    match error {
        FtpError::UnexpectedResponse(response) => match response.status.code() {
            // The server ends, or there is no data connection (RFC 959, 4.2.2).
            421 | 425 | 426 => Ok(UploadError::Lost(Reason::new(said(&response)))),
            530 => Ok(UploadError::Login(Reason::new(said(&response)))),
            _ => Err(response),
        },
        error => Ok(UploadError::Lost(Reason::new(error))),
    }
}

#[cfg(test)]
mod tests {
    use suppaftp::{Status, types::Response};

    use super::*;

    #[test]
    fn only_550_says_that_a_file_is_not_there() {
        let answer = |code: u32| {
            let response = Response::new(Status::from(code), Vec::new());
            certain(Err(FtpError::UnexpectedResponse(response)))
        };
        assert!(matches!(certain(Ok(true)), Ok(Some(true))));
        assert!(matches!(answer(550), Ok(Some(false))));
        for unknown in [500, 502] {
            assert!(matches!(answer(unknown), Ok(None)), "{unknown}");
        }
        for unclear in [421, 425, 450, 451, 501, 530, 553] {
            assert!(answer(unclear).is_err(), "{unclear}");
        }
    }
}
