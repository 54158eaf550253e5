/** Why an `AccessDenied` refuses, where a person is told. */
export type DenialCode = 'last_way' | 'too_many_ways' | 'turnstile'
