export default async function Deep({ params }: { params: Promise<{ rest: string[] }> }) {
  return <p>swordfish at {(await params).rest.join()}</p>
}
