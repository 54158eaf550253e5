import type { ExportedPerson } from '../../types/exported-person.js'

/** Methods for the operator. */
export interface MethodsOfPeople {
  /**
   * Erases a person (GDPR, article 17): their sessions end as in `endSessions`, and all of their
   * data is deleted. Only the endings remain, under names that nobody can make of their id, until
   * the last of their tokens could have lived. Nothing happens to a `sub` that nobody has, and the
   * second call of two does nothing more.
   *
   * KV lists a record a minute late: a session that began in the last minute may leave an ended
   * record, which a later call deletes.
   *
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} when something could not be deleted: call it again
   * @example await auth.deletePerson(sub, env, ctx)
   */
  deletePerson(sub: string): Promise<void>
  /**
   * All data of a person, as JSON, without tokens and secrets (GDPR, article 15).
   *
   * @returns `null` for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} when it cannot be read
   * @example const kept = await auth.exportPerson(sub, env, ctx)
   */
  exportPerson(sub: string): Promise<ExportedPerson | null>
}
