import { Ledger as Standard } from '@latchkey/worker/ledger'

/** The ledger, with a method that restores it. No route leads to it: call it by its binding. */
export class Ledger extends Standard {
  /** @param time milliseconds since the epoch, 30 days ago at most */
  async setBack(time: number): Promise<void> {
    const { storage } = this.ctx
    await storage.onNextSessionRestoreBookmark(await storage.getBookmarkForTime(time))
    this.ctx.abort('The ledger starts again as it was.')
  }
}
