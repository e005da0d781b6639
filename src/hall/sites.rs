//! Several sites in one server: each has a hall of its own, and one page shows the alarms of all.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Hall, NoRandomness, Settings, Shared};

/// The halls of all sites; at least that of the configuration's own site.
#[derive(Debug, Clone)]
pub(super) struct Sites {
    /// The hall of the configuration's own site, whose pages are also at `/`.
    pub(super) own: Arc<Hall>,
    further: Arc<[Arc<Hall>]>,
}

impl Sites {
    /// Opens the hall of each site.
    ///
    /// # Errors
    ///
    /// Returns [`NoRandomness`].
    pub(super) fn open(
        settings: Settings,
        cancel: &CancellationToken,
    ) -> Result<Self, NoRandomness> {
        let shared = Shared::open(&settings)?;
        let hall = |settings| Hall::new(settings, &shared, cancel.clone());
        let further = settings.sites.iter();
        let further: Result<Vec<_>, _> = further
            .map(|site| hall(settings.at_site(site)).map(Arc::new))
            .collect();
        Ok(Self {
            further: further?.into(),
            own: Arc::new(hall(settings)?),
        })
    }

    /// The halls, the own one first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Hall>> {
        std::iter::once(&self.own).chain(&*self.further)
    }
}

/// The path of a hall's pages, below which only its site is shown.
pub(super) fn folder(hall: &Hall) -> String {
    format!("/site/{}", hall.settings.broker.site)
}

/// Handles `GET api/sites`: the sites, and where their pages are, relative to the start page.
pub(super) async fn show(State(sites): State<Sites>) -> Response {
    let sites: Vec<_> = sites
        .all()
        .map(|hall| {
            json!({
                "site": hall.settings.broker.site.as_str(),
                "path": format!("{}/", folder(hall).trim_start_matches('/')),
                "broker": hall.public.is_up(),
            })
        })
        .collect();
    Json(json!({ "schema": "remisd/sites/1", "sites": sites })).into_response()
}
