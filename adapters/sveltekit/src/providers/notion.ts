export * from '@latchkey/worker/providers/notion'
export { default } from '@latchkey/worker/providers/notion'
