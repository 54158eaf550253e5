/** Texts of sessions that are bound to their device. */
export const texts = () => ({
  boundSessions: {
    /** Below a session on the page of an account. */
    label: 'Bound to this device',
    /** A page that is there for some seconds, and goes on by itself. */
    waitingTitle: 'One moment',
    waiting: 'Your browser is binding this session to your device. This page continues by itself.',
  },
  errors: {
    unbound:
      'This page needs a session that is bound to your device, and this browser cannot bind one. Try another browser, such as a current Chrome or Edge.',
  },
})
