/** The mail about a sign-in from a new browser. */
export const texts = () => ({
  notices: {
    newBrowserTitle: 'New sign-in to your account',
    /** `{time}` is a date and a time, such as 2026-11-21 14:05 UTC. */
    newBrowser: 'A browser that you had not used here before signed in to your account: {time}',
    newBrowserWhere: 'Signed in at {host}, from: {device}',
  },
})
