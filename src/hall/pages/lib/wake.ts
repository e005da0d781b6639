/** Keeps the screen on, where the browser can, while it is wanted. */

/** Whether the browser can: only pages over HTTPS or of this very computer may ask for it. */
export const canStayAwake: boolean = navigator.wakeLock !== undefined;

/** The lock is let go with the page's visibility, and taken again. */
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
    // A battery that is nearly empty is a reason to refuse it; the next look asks again.
    this.lock = await navigator.wakeLock.request('screen').catch(() => null);
    this.asking = false;
    if (!this.wanted) await this.adapt();
  }
}
