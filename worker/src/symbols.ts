/**
 * A provider's own `fetch`, for every request to its endpoints: corporate proxies, mocks, logging,
 * headers that a deviating server wants. It sees the final request, after a preset's own
 * adjustments. It also sees tokens and client secrets, so treat it as you would treat those.
 *
 * @example videoapp({ [customFetch]: (input, init) => fetch(proxied(input), init) })
 */
export const customFetch: unique symbol = Symbol('latchkey.custom-fetch')

/**
 * With `raw` set to this symbol in its config, `Auth` returns a {@link RawResponse} and throws
 * errors instead of redirecting: for frameworks that set cookies and redirect in their own way.
 *
 * @example await Auth(request, { ...config, raw })
 */
export const raw: unique symbol = Symbol('latchkey.raw')

/**
 * With `skipCSRFCheck` set to this symbol in the config, POST requests need no csrf token. Only
 * for a caller in the same process that has checked the request's origin itself.
 *
 * @example await Auth(request, { ...config, skipCSRFCheck })
 */
export const skipCSRFCheck: unique symbol = Symbol('latchkey.skip-csrf-check')
