/** Texts of several ways to sign in: what they lack, and mails of changes. */
export const texts = () => ({
  signIn: {
    waits:
      'What you have added lately does not count as a second factor yet. Use what you had before; the page of your account says from when it counts.',
  },
  ways: {
    add: 'Add {name}',
  },
  errorPages: {
    lastWayTitle: 'This is your last way to sign in',
    lastWay: 'Without it nobody could sign in to your account. Add another one first.',
    manyWaysTitle: 'You have many ways to sign in',
    manyWays: 'Remove one that you no longer use, then add another.',
  },
  /** Mails that tell of a change. */
  notices: {
    where: 'Changed at {host}, from: {device}',
    warning:
      'If that was not you, somebody else is signed in as you: sign in, open the page of your account, remove what you do not know, and choose “Sign out everywhere”.',
    /** Of what a session of one factor has added. */
    waits: 'In seven days it counts fully. If it is not yours, remove it before then.',
    addedTitle: '{name} was added to your account',
    added: 'From now on it is a way to sign in to your account.',
    removedTitle: '{name} was removed from your account',
    removed: 'It is no way to sign in to your account any more.',
    factorSetUpTitle: 'Your account asks for a second factor',
    factorSetUp: 'From now on a sign-in takes a code of your authenticator app as well.',
    factorRemovedTitle: 'Your account asks for no second factor any more',
    factorRemoved: 'A sign-in takes no code of your authenticator app from now on.',
    newCodesTitle: 'You have new recovery codes',
    newCodes: 'The recovery codes that you had before work no more.',
    codeUsedTitle: 'A recovery code was used',
    codeUsed:
      'A sign-in to your account took a recovery code in the place of a code of your authenticator app. It works no more.',
    mergedTitle: 'Two of your accounts are one now',
    merged: 'Every way to sign in to either leads to the same account from now on.',
    erasedTitle: 'Your account is deleted',
    erased:
      'Your sessions, your ways to sign in and the connections to providers are gone for good.',
    erasedWarning:
      'If that was not you, somebody else was signed in as you: write to whoever runs this site.',
  },
})
