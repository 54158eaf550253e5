import type { AuthRequest } from '../http/request.js'
import type { ReadPerson } from '../person/found-way.js'

/** The hashes of passwords that another system has made, and that people bring along. */
export interface OldHashes {
  /** Are passwords typed with the addresses of a provider? @param provider its id */
  areTypedWith(request: AuthRequest, provider: string): boolean
  /**
   * Gives a person the hash of their old password, unless they have a password.
   *
   * @param person as the caller has just read them
   * @returns `known`: they have this one; `gone`: their address was removed, or they have become another person
   * @throws {StoreUnavailable}
   */
  keep(
    request: AuthRequest,
    sub: string,
    hash: string,
    person: ReadPerson,
  ): Promise<'added' | 'known' | 'bad-hash' | 'has-password' | 'gone'>
}
