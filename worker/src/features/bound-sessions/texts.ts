/** Texts of sessions that are bound to their device. */
export const texts = () => ({
  boundSessions: {
    /** Below a session on the page of an account. */
    label: 'Bound to this device',
    /** The title of a page that is there for some seconds, and goes on by itself. */
    waiting: 'Your browser is binding this session to your device',
  },
  errors: {
    unbound: 'This browser cannot bind your session to your device. Try another one.',
  },
})
