const own = new WeakSet<object>()

/**
 * Marks the `cause` of an error as made by the service, with nothing secret in it: it is logged
 * whole. For any other cause, such as an app's own error, the log has only name and message.
 */
export function ownDetail<Detail extends object>(detail: Detail): Detail {
  own.add(detail)
  return detail
}

export function isOwnDetail(cause: unknown): cause is Record<string, unknown> {
  return typeof cause === 'object' && cause !== null && own.has(cause)
}
