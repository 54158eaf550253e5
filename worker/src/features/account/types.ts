/** Members of the configuration. */
export interface ConfigOfAccount {
  /**
   * The account page has a button that deletes all data of the user, if they have signed in within
   * the last five minutes. The event `deletePerson` names the user, so that your app deletes its
   * data. Default `false`.
   */
  readonly accountDeletion?: boolean
}
