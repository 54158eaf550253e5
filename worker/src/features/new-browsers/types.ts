/** Members of the configuration. */
export interface ConfigOfNewBrowsers {
  /**
   * Sends a person a mail when they sign in from a browser that they have not used before, but not at their first sign-in. It needs a
   * provider that sends mails. Default: `AUTH_NEW_BROWSER_MAIL`, else `false` (docs/new-browsers.md).
   */
  readonly newBrowserMail?: boolean
}
