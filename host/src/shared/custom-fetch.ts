/**
 * A provider's own `fetch`, for every request to its endpoints: corporate proxies, mocks, logging,
 * headers that a deviating server wants. It sees the final request, after a preset's own
 * adjustments. It also sees tokens and client secrets, so treat it as you would treat those.
 *
 * @example videoapp({ [customFetch]: (input, init) => fetch(proxied(input), init) })
 */
export const customFetch: unique symbol = Symbol('latchkey.custom-fetch')
