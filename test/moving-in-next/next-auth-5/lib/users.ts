/** The user of these credentials. */
export async function findUser(name: string, password: string) {
  const isAda = name === 'Ada' && password === process.env.PASSWORD_OF_ADA
  return isAda ? { id: '1', name: 'Ada', role: 'admin' } : null
}
