'use client'

export default function Failure({ error }: { error: Error }) {
  return <h1>Failed: {error.name}</h1>
}
