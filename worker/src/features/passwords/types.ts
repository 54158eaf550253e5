/** Methods for the operator. */
export interface MethodsOfPasswords {
  /**
   * Takes the password from a person. They get a mail, at every verified address. Their sessions go on: call `endSessions`
   * too if the account may be in other hands. Nothing happens to anybody without a password.
   *
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} call it again
   * @example await auth.removePassword(sub, env, ctx)
   */
  removePassword(sub: string): Promise<void>
}

/** Members of an export of a person. */
export interface ExportsOfPasswords {
  /** Left out: the person has no password. */
  readonly password?: ExportedPassword
}

/** A password, of which nobody can read more. */
export interface ExportedPassword {
  /** When it was set. ISO 8601. */
  readonly since: string
}
