'use client'

import { useState } from 'react'

export function Name() {
  const [name] = useState('nobody')
  return <h1>Alone, {name}</h1>
}
