/** The platform's own: with the flag `global_fetch_strictly_public` of `wrangler.toml` it leads to public hosts alone. */
export const fetchPublic: typeof fetch = (input, init) => fetch(input, init)
