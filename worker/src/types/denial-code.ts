/** Why an `AccessDenied` refuses, if a page says so. */
export type DenialCode = 'blocked' | 'last_way' | 'too_many_keys' | 'too_many_ways' | 'turnstile'
