export async function load({ locals }) {
  await locals.auth()
  throw new Error(`${process.env.AUTH_SECRET} broke`)
}
