/** Stands for the app's own table of users. */
const users = [{ id: '1', name: 'Ada', email: 'ada@example.com', role: 'admin' }]

export function findUser(name: string, password: string) {
  if (password !== process.env.PASSWORD_OF_ADA) return null
  return users.find((user) => user.name.toLowerCase() === name.toLowerCase()) ?? null
}
