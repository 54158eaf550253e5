/** Texts of several ways to sign in: missing ones, and mails of changes. */
export const texts = () => ({
  signIn: {
    waits:
      'What you added recently does not count as a second factor yet. Use what you had before. Your account page says when it becomes active.',
  },
  ways: {
    add: 'Add {name}',
  },
  errorPages: {
    lastWayTitle: 'This is your last way to sign in',
    lastWay: 'Without it you could not sign in to your account. Add another one first.',
    manyWaysTitle: 'You have many ways to sign in',
    manyWays: 'Remove one that you no longer use, then add another.',
  },
  /** Mails that announce a change. */
  notices: {
    where: 'Changed at {host}, from: {device}',
    warning:
      'If that was not you, another person is signed in to your account. Sign in, open your account page, remove what you do not recognize, and choose “Sign out everywhere”.',
    /** For a way that a session of one factor has added. */
    waits: 'It becomes fully active in seven days. If it is not yours, remove it before then.',
    addedTitle: '{name} was added to your account',
    added: 'You can now sign in to your account with it.',
    removedTitle: '{name} was removed from your account',
    removed: 'It can no longer be used to sign in to your account.',
    mergedTitle: 'Two of your accounts are now one',
    merged: 'Every way to sign in to either of them now leads to the same account.',
    erasedTitle: 'Your account is deleted',
    erased:
      'Your sessions, your ways to sign in and your connections to providers are permanently deleted.',
    erasedWarning:
      'If that was not you, another person was signed in to your account. Contact the people who run this site.',
  },
})
