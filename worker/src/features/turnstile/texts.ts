/** Texts of the check that a person sends a form. */
export const texts = () => ({
  ways: {
    needsScript: 'This form needs JavaScript: it tells people from programs.',
  },
  errors: {
    human:
      'The form has a check, which needs JavaScript. Wait until it is done, then send the form again.',
  },
})
