/** Keeps the screen on while wanted, if the browser can. */

/** Whether the browser can: only pages over HTTPS or on localhost may ask for it. */
export const canStayAwake: boolean = navigator.wakeLock !== undefined;

/** A wake lock. Browsers release it when the page is hidden, so it is requested again. */
export class Wake {
  private wanted = false;
  private lock: WakeLockSentinel | null = null;
  private asking = false;

  constructor() {
    document.addEventListener('visibilitychange', () => void this.adapt());
  }

  want(wanted: boolean): void {
    this.wanted = wanted;
    void this.adapt();
  }

  private async adapt(): Promise<void> {
    if (!canStayAwake || this.asking) return;
    if (!this.wanted) {
      const lock = this.lock;
      this.lock = null;
      await lock?.release().catch(() => undefined);
      return;
    }
    if (document.visibilityState !== 'visible' || this.lock?.released === false) return;
    this.asking = true;
    // The browser may refuse it on a low battery; the next time the page is shown, it is requested
    // again.
    this.lock = await navigator.wakeLock.request('screen').catch(() => null);
    this.asking = false;
    if (!this.wanted) await this.adapt();
  }
}
