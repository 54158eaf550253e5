/** A request that no browser sends by itself. The answer is the message: in JSON if the caller speaks it, otherwise as plain text. */
export class BadRequest extends Error {
  override name = 'BadRequest'
  readonly status: 400 | 404 | 408 | 413 | 415

  constructor(status: BadRequest['status'], message: string) {
    super(message)
    this.status = status
  }
}
