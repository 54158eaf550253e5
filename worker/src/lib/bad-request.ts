/** A request that nobody's browser sends by itself. Answered with the message, as text. */
export class BadRequest extends Error {
  override name = 'BadRequest'
  readonly status: 400 | 413 | 415

  constructor(status: BadRequest['status'], message: string) {
    super(message)
    this.status = status
  }
}
