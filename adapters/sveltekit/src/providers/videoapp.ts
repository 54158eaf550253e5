export * from '@latchkey/worker/providers/videoapp'
export { default } from '@latchkey/worker/providers/videoapp'
